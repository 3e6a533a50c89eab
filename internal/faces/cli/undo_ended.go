package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// endings is the last record that ended a thing, by the name of the thing. No command takes back what was
// changed about it before: a grant of a quota that is deleted cannot be set.
type endings map[string]uint64

// endingKinds are the events that end what undo would change.
var endingKinds = []string{"quota.deleted", "hold.ended", "request.ended", "incident.closed"}

// endings are those of all actors: a colleague may have deleted a quota.
func (o *undoOptions) endings(ctx context.Context, since *timestamppb.Timestamp) (endings, error) {
	res, err := o.client().Events.ListEvents(ctx, &musterv1.ListEventsRequest{AsOf: o.asOf.message(), Kinds: endingKinds, Since: since, Limit: most})
	last := endings{}
	for _, r := range res.GetRecords() {
		for _, e := range r.GetEvents() {
			var f reversible
			if json.Unmarshal([]byte(e.GetData()), &f) == nil {
				last[ends(e.GetKind(), f)] = r.GetSeq()
			}
		}
	}
	return last, err
}

// ends is the thing that an event ends; "": none, as of a hold that is used in part.
func ends(kind string, f reversible) string {
	switch {
	case kind == "quota.deleted":
		return "quota " + f.Quota
	case kind == "hold.ended" && f.Left == 0:
		return fmt.Sprint("hold ", f.ID)
	case kind == "request.ended":
		return fmt.Sprint("request ", f.ID)
	case kind == "incident.closed":
		return "incident " + f.Name
	}
	return ""
}

// since says whether a thing that an event of a record changed has ended after that record.
func (last endings) since(seq uint64, kind string, f reversible) bool {
	for _, thing := range changed(kind, f) {
		if last[thing] > seq {
			return true
		}
	}
	return false
}

// changed are the things that must be there still for an event to be taken back.
func changed(kind string, f reversible) []string {
	switch kind {
	case "quota.created", "quota.owned", "grant.set":
		return []string{"quota " + f.Quota}
	case "grant.transferred":
		return []string{"quota " + f.From, "quota " + f.To}
	case "hold.placed":
		return []string{fmt.Sprint("hold ", f.Hold.ID)}
	case "request.made":
		return []string{fmt.Sprint("request ", f.Request.ID)}
	case "incident.opened":
		return []string{"incident " + f.Name}
	}
	return nil
}
