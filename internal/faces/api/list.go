package api

import (
	"time"

	"google.golang.org/protobuf/proto"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// list is an answer to a question for workloads on its way: which they are is found first, then what is said of each.
type list struct {
	listing
	room   int // bytes that are left for it
	found  []*fleet.Workload
	ids    []uint64 // of those that were found
	others int      // that are asked for, too, and that the caller may not read
	out    *musterv1.ListWorkloadsResponse
}

// find finds the workloads in a state. It refuses names that nothing has.
func (l *list) find(s *fleet.State) error {
	l.found, l.others = l.choose(s)
	for _, w := range l.found {
		l.ids = append(l.ids, w.ID)
	}
	return knownInList(l.by, s, l.ListWorkloadsRequest, l.found)
}

// again takes the workloads that were found from a state that is a moment later.
func (l *list) again(s *fleet.State) {
	l.found = nil
	for _, id := range l.ids {
		if w := s.Workloads[id]; w != nil && l.wants(w) && l.by.sees(s, w) {
			l.found = append(l.found, w)
		}
	}
}

// tell says of each workload what is asked for, up to the limit and as much as there is room for.
func (l *list) tell(s *fleet.State, at fleet.Instant) {
	began, next := time.Now(), uint64(0)
	chosen := l.found
	if len(chosen) > l.limit {
		next, chosen = chosen[l.limit].ID, chosen[:l.limit]
	}
	for i, row := range view.WorkloadsOf(s, chosen, at) {
		one := wire.Workload(s, chosen[i], row)
		if l.room -= proto.Size(one) + perEntry; i > 0 && (l.room < 0 || l.GetReasons() && time.Since(began) > reasoning) {
			next = chosen[i].ID
			break
		}
		if l.GetReasons() {
			one.Reason = firstReason(explain.Why(s, chosen[i], at))
		}
		l.out.Workloads = append(l.out.Workloads, one)
	}
	if l.out.Next = next; l.counts(next) {
		l.out.Others = int32(l.others)
	}
}
