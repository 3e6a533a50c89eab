package cli

import (
	"context"
	"encoding/json"
	"slices"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
)

// names knows workloads by their numbers, which is how events call them.
type names struct {
	jobs   map[uint64]string
	asked  map[uint64]bool // whose names were asked for: what has none is not the reader's to read
	unsaid []string        // kinds of events that are not told of
}

// learn finds out the names of the workloads that records mention. What cannot
// be found out stays a number.
func (n *names) learn(ctx context.Context, a *app, records []*musterv1.Record) {
	if n.jobs == nil {
		n.jobs = map[uint64]string{}
	}
	var ids []uint64
	for _, r := range records {
		for _, e := range r.GetEvents() {
			ids = append(ids, n.unknown(e)...)
		}
	}
	slices.Sort(ids)
	for some := range slices.Chunk(slices.Compact(ids), mostNamed) {
		n.ask(ctx, a, some)
	}
}

// unknown lists the workloads of an event whose names are not known yet, and
// keeps the names that it says itself.
func (n *names) unknown(e *musterv1.Event) (ids []uint64) {
	var m struct {
		ID   uint64
		Spec *struct{ Name, Namespace string }
	}
	if json.Unmarshal([]byte(e.GetData()), &m) == nil && m.Spec != nil {
		n.jobs[m.ID] = m.Spec.Namespace + "/" + m.Spec.Name
	}
	for _, id := range words.Mentions(e.GetKind(), e.GetData()) {
		if _, known := n.jobs[id]; id != 0 && !known && !n.asked[id] {
			ids = append(ids, id)
		}
	}
	return ids
}

// mostNamed is of how many workloads the names are asked for at once.
const mostNamed = 10000

func (n *names) ask(ctx context.Context, a *app, ids []uint64) {
	res, err := a.client().Workloads.ListWorkloads(ctx, &musterv1.ListWorkloadsRequest{States: words.WorkloadStates, Ids: ids, Limit: int32(len(ids))})
	if err != nil {
		return
	}
	for _, w := range res.GetWorkloads() {
		n.jobs[w.GetId()] = nameOf(w)
	}
	if n.asked == nil {
		n.asked = map[uint64]bool{}
	}
	for _, id := range ids {
		n.asked[id] = true
	}
}

// event says an event: what it is about, and a sentence that goes on from there.
func (n *names) event(e *musterv1.Event) (about, rest string) {
	told := n.told(e)
	return told.About, told.Says
}

// told is event with what sort of thing it is about.
func (n *names) told(e *musterv1.Event) words.Told {
	return words.Tell(e.GetKind(), e.GetData(), func(id uint64) string { return n.jobs[id] })
}
