package fleet

import (
	"slices"
	"strings"
)

// A journal and a call give each workload texts and pools of its own, and thousands of workloads name the same
// namespace, target or pool. A state keeps one of what is equal: each is an object that the collector of garbage
// goes to by a pointer of each workload.

// shared is texts and pools of the last workloads. Its maps are nil in forks, whose new work does not last.
type shared struct {
	texts map[string]string
	pools map[Pool][]Pool // by the first of them
}

// mostShared bounds both: then all are forgotten, and those of the next workloads are kept.
const mostShared = 8192

func newShared() shared { return shared{map[string]string{}, map[Pool][]Pool{}} }

// Share lets the workloads of a state that was read share what is equal, as those do that come one by one.
func (s *State) Share() {
	for _, w := range s.Workloads { // which of equal texts is kept makes no difference
		s.shared.spec(&w.Spec)
	}
}

// spec lets a workload use the texts and the pools of others, as far as they are equal.
func (s *shared) spec(spec *Spec) {
	if s.texts == nil {
		return
	}
	for _, text := range []*string{&spec.Namespace, &spec.User, &spec.Target, &spec.Partition, &spec.Author} {
		*text = s.text(*text)
	}
	spec.Pools = s.equalPools(spec.Pools)
}

func (s *shared) text(text string) string {
	if text == "" {
		return ""
	}
	known, ok := s.texts[text]
	if !ok {
		known = strings.Clone(text) // it may be part of a larger one, which it would keep
		if len(s.texts) >= mostShared {
			clear(s.texts)
		}
		s.texts[known] = known
	}
	return known
}

// equalPools is some pools as others have them. Workloads never change those that they have: see Resize.
func (s *shared) equalPools(list []Pool) []Pool {
	if len(list) == 0 {
		return list
	}
	known := s.pools[list[0]]
	if !slices.Equal(known, list) {
		known = slices.Clone(list)
		for i := range known {
			p := &known[i]
			p.Name, p.Reach, p.Footprint = s.text(p.Name), Reach(s.text(string(p.Reach))), s.text(p.Footprint)
		}
		if len(s.pools) >= mostShared {
			clear(s.pools)
		}
		s.pools[known[0]] = known
	}
	return known
}
