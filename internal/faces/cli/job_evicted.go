package cli

import (
	"context"
	"encoding/json"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// eviction is the last one of a workload: when it was, and for whom.
type eviction struct {
	at      *timestamppb.Timestamp
	by, why string
}

// evictionsRead is among how many of the newest evictions the last one of each workload is looked for.
const evictionsRead = 1000

// lastEvictions are the last evictions of workloads, by their numbers, where the list is one of evicted work. What the
// caller may not hear is left out.
func (o *jobListOptions) lastEvictions(ctx context.Context) map[uint64]eviction {
	if !o.evicted {
		return nil
	}
	res, err := o.client().Events.ListEvents(ctx, &musterv1.ListEventsRequest{AsOf: o.asOf.message(), Kinds: []string{"replicas.evicted"}, Limit: evictionsRead})
	if err != nil {
		return nil
	}
	n := &names{}
	n.learn(ctx, o.app, res.GetRecords())
	return n.evictions(res.GetRecords())
}

// evictions are the last ones in records, which are in order.
func (n *names) evictions(records []*musterv1.Record) map[uint64]eviction {
	last := map[uint64]eviction{}
	for _, r := range records {
		for _, e := range r.GetEvents() {
			var f foreseen
			if e.GetKind() == "replicas.evicted" && json.Unmarshal([]byte(e.GetData()), &f) == nil {
				last[f.ID] = eviction{r.GetAt(), n.evictor(f), orElse(shortVictim[f.Class], f.Class)}
			}
		}
	}
	return last
}

// shortVictim says why work had to leave, for a column.
var shortVictim = map[string]string{"flex": "on flex", "importance": "less important", "fairness": "above its share", "surplus": "above its min"}

// evictor says for whom work was evicted; "": no work is named.
func (n *names) evictor(f foreseen) string {
	if f.For == 0 {
		return ""
	}
	return n.of(f.For)
}
