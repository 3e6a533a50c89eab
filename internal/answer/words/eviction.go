package words

import (
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/text"
)

// EvictionKind is the kind of the events that EvictionOf reads.
var EvictionKind = event.ReplicasEvicted{}.Kind()

// Eviction is what a workload gives up for another one.
type Eviction struct {
	Workload, For uint64      // by their numbers; For 0: none is named
	Replicas      map[int]int // by the number of their pool in the workload, from 0
	Whole         bool        // all of it leaves
	Why           string      // it and no other
}

// EvictionOf reads an event as an eviction; ok is false where it is none.
func EvictionOf(kind, data string) (x Eviction, ok bool) {
	fact, err := event.Parse(kind, []byte(data))
	e, ok := fact.(event.ReplicasEvicted)
	if err != nil || !ok {
		return x, false
	}
	x = Eviction{Workload: e.ID, For: e.For, Replicas: map[int]int{}, Whole: e.Whole, Why: text.Victim(e.Class)}
	for _, spot := range e.Spots {
		x.Replicas[spot.Pool] += len(spot.Nodes)
	}
	return x, true
}
