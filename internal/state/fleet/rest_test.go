package fleet

import (
	"slices"
	"testing"
	"time"
)

// restedFleet has four workloads of one shape on flex: one that was never evicted, and three that rest, until one hour, one
// hour and a minute, and one hour and two minutes after the fleet began. The elder rest longer.
func restedFleet(t *testing.T) (*State, *Partition) {
	t.Helper()
	s := NewState()
	s.Clusters = []*Cluster{{Name: "c"}}
	s.Partitions = []*Partition{{ID: "c/g", Cluster: "c", GPU: "g", GPUsPerNode: 8, Islands: []*Island{{Name: "i"}}, Nodes: []*Node{{}}}, {ID: "c/h", Cluster: "c", GPU: "h", GPUsPerNode: 8}}
	s.Time = Instant(30 * time.Minute)
	for id := range uint64(4) {
		w := &Workload{ID: id + 1, State: Pending, Submitted: Instant(id), Spec: Spec{
			Name: string(rune('a' + id)), Namespace: "n", Target: Flex, Partition: "c/g", Pools: []Pool{{Name: "w", GPUs: 1, Min: 1, Max: 1}},
		}}
		if id < 3 {
			first := Instant(2-id) * Instant(time.Minute)
			w.Evicted = FewOf([]Instant{first, first + 1, first + 2})
		}
		s.Workloads[w.ID] = w
	}
	s.Rebuild()
	p := s.Partition("c/g")
	return s, p
}

// TestWorkThatRestsWaitsAmongItsLike holds what decisions cost on a fleet where much was evicted again and again: of what
// rests alike they meet the first alone, and the others once their rest is over.
func TestWorkThatRestsWaitsAmongItsLike(t *testing.T) {
	s, p := restedFleet(t)
	for _, at := range []struct {
		time   time.Duration
		firsts []uint64
	}{
		{30 * time.Minute, []uint64{1, 4}},              // 1 to 3 rest, 4 does not
		{time.Hour - time.Nanosecond, []uint64{1, 4}},   //
		{time.Hour, []uint64{1, 3}},                     // 3 may start, and 4 is behind it
		{time.Hour + time.Minute, []uint64{1, 2}},       // 2 is before both
		{time.Hour + 2*time.Minute - 1, []uint64{1, 2}}, //
		{time.Hour + 2*time.Minute, []uint64{1}},        // all are alike
	} {
		s.Ring(Instant(at.time))
		if got := idsOf(p.FlexOf("n").Firsts()); !slices.Equal(got, at.firsts) {
			t.Errorf("after %s the first of each kind are %v, want %v", at.time, got, at.firsts)
		}
	}
}

// TestCopiesAreToldWhenARestEnds: every copy of the fleet knows which rests end when.
func TestCopiesAreToldWhenARestEnds(t *testing.T) {
	s, _ := restedFleet(t)
	copies := map[string]*State{"fork": s.Fork(), "fork ahead": s.ForkAhead(2), "part": s.ForkOf(s.Partitions[:1]), "clone": s.Clone()}
	for name, c := range copies {
		c.Hush(Instant(time.Hour + time.Minute))
		if got, want := idsOf(c.Partition("c/g").FlexOf("n").Firsts()), []uint64{1, 2}; !slices.Equal(got, want) {
			t.Errorf("%s: the first of each kind are %v, want %v", name, got, want)
		}
	}
}
