package judge

import "github.com/muster-fleet/muster/internal/state/fleet"

// Cost is what a set of victims costs, in the order of semantics §5.
type Cost struct {
	Class Class // of its dearest victim
	// Flex is, in class flex, how much flex the dearest victim's namespace has.
	// Where namespaces have the same, one must go first: importance decides.
	Flex       int
	Importance fleet.Importance // of its dearest victim
	Whole      bool             // the dearest victim is more than surplus, which is less important than the rest
	Lost       int              // GPU-seconds since the last checkpoints, of all that leaves
	Workloads  int
}

// Less says whether c is cheaper than d: by class, then by importance (on flex
// the namespace with the most flex first), then by what is lost, then by count.
func (c Cost) Less(d Cost) bool {
	switch {
	case c.Class != d.Class:
		return c.Class < d.Class
	case c.Flex != d.Flex:
		return c.Flex > d.Flex
	case c.Importance != d.Importance:
		return d.Importance.Above(c.Importance)
	case c.Whole != d.Whole:
		return d.Whole
	case c.Lost != d.Lost:
		return c.Lost < d.Lost
	}
	return c.Workloads < d.Workloads
}

// costOf is the cost of a set, with the class of each of its victims.
func (j *Judge) costOf(set []Unit, classes []Class) Cost {
	c := Cost{Class: -1}
	works := map[uint64]bool{}
	for i, v := range set {
		one := Cost{Class: classes[i], Importance: fleet.Importance{Priority: v.Key.Priority, Rank: v.Key.Rank}, Whole: !v.Key.Surplus}
		if one.Class == Flex {
			one.Flex = j.flexUse(v.Work.Namespace)
		}
		if c.Class < 0 || dearer(one, c) {
			c.Class, c.Flex, c.Importance, c.Whole = one.Class, one.Flex, one.Importance, one.Whole
		}
		works[v.Work.ID] = true
	}
	for _, u := range j.units {
		if goes(u, set) {
			c.Lost += j.lost(u)
		}
	}
	c.Workloads = len(works)
	return c
}

func dearer(a, b Cost) bool {
	switch {
	case a.Class != b.Class:
		return a.Class > b.Class
	case a.Flex != b.Flex:
		return a.Flex < b.Flex
	case a.Importance != b.Importance:
		return a.Importance.Above(b.Importance)
	}
	return a.Whole && !b.Whole
}

// lost is the GPU-seconds that a unit has run since the last checkpoint.
func (j *Judge) lost(u Unit) int {
	w := u.Work
	if w.Started == 0 {
		return 0
	}
	ran := j.now.Sub(w.Started)
	if w.CheckpointEvery > 0 {
		ran %= w.CheckpointEvery
	}
	t := 0
	for _, st := range u.Stands {
		if st.Runs {
			t += int(ran.Seconds()) * st.GPUs
		}
	}
	return t
}
