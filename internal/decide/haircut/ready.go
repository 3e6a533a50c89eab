package haircut

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// Item is one line of the list that a cluster must pass before a wave takes it.
type Item struct {
	Name    string   `json:"name"`
	Missing []string `json:"missing,omitempty"` // what is still lacking; none: the item is passed
}

// told is the item that the step before a wave fulfils: an operator notes that people were told.
const told = "people are told"

// Ready is the readiness list of a cluster, for a saved plan with a wave there;
// nil: there is none. It is passed if no item misses anything.
func Ready(s *fleet.State, cluster string, h *fleet.Haircut) []Item {
	return []Item{
		{"reports are fresh", stale(s, cluster)},
		{"every quota's owner is known", ownerless(s, cluster, h)},
		{"running work is explained", unexplained(s, cluster, h)},
		{told, untold(cluster, h)},
	}
}

// Ahead lists what a readiness list will still miss once the people are told: what can be
// mended long before the first wave.
func Ahead(items []Item) []string {
	return Lacks(slices.DeleteFunc(slices.Clone(items), func(i Item) bool { return i.Name == told }))
}

// Lacks lists all that a readiness list misses.
func Lacks(items []Item) []string {
	var all []string
	for _, i := range items {
		all = append(all, i.Missing...)
	}
	return all
}

func stale(s *fleet.State, cluster string) []string {
	if c := s.Cluster(cluster); c != nil && c.Stale {
		return []string{"the reports of " + cluster + " have stopped"}
	}
	return nil
}

// ownerless lists the quotas that have no owner to tell: those that the plan cuts in the
// cluster, and those whose work it touches there; without a plan, all that have a grant there.
func ownerless(s *fleet.State, cluster string, h *fleet.Haircut) []string {
	var missing []string
	for _, q := range s.Quotas {
		if s.OwnerOf(q.Path) == "" && concerned(s, cluster, h, q.Path) {
			missing = append(missing, fmt.Sprintf("quota %s has no owner; muster quota owner %s USER names one", q.Path, q.Path))
		}
	}
	return missing
}

// concerned says whether a plan means something to a quota in a cluster.
func concerned(s *fleet.State, cluster string, h *fleet.Haircut, quota string) bool {
	if h == nil {
		return slices.ContainsFunc(s.Partitions, func(p *fleet.Partition) bool {
			a := p.Account(quota)
			return p.Cluster == cluster && a != nil && a.Grant > 0
		})
	}
	for _, i := range h.WavesOf(cluster) {
		for _, part := range h.Waves[i].Parts {
			if slices.ContainsFunc(part.Cuts, func(c fleet.Cut) bool { return c.Quota == quota }) ||
				slices.ContainsFunc(part.Touches(), func(t fleet.Touched) bool { return t.Quota == quota }) {
				return true
			}
		}
	}
	return false
}

// unexplained lists work that runs unprotected and that no person has looked at. Of such work
// the plan did not name it when it was made, its people were not told of a change
// that left it so, and no open incident covers its partition. Everything else that runs says by how it holds its GPUs why it may.
func unexplained(s *fleet.State, cluster string, h *fleet.Haircut) []string {
	var missing []string
	for _, p := range s.Partitions {
		if p.Cluster != cluster || len(s.OpenIncidents(p)) > 0 {
			continue
		}
		named := namedIn(h, p.ID)
		for _, t := range UnprotectedIn(s, p) {
			if !named[t.Workload] && !toldOf(s, t.Workload) {
				missing = append(missing, fmt.Sprintf("%s holds %s unprotected in %s", t.Workload, text.Count(t.GPUs, "GPU"), p.ID))
			}
		}
	}
	if n := len(missing); n > 0 {
		missing[n-1] += "; muster haircut plan --save NAME makes a plan that names such work"
	}
	return missing
}

// toldOf says whether the people of unprotected work were told of the change that left it so.
func toldOf(s *fleet.State, workload string) bool {
	namespace, name, _ := strings.Cut(workload, "/")
	w := s.Workload(namespace, name)
	return w != nil && w.LastCut() != nil
}

func namedIn(h *fleet.Haircut, partition string) map[string]bool {
	named := map[string]bool{}
	if h == nil {
		return named
	}
	for _, part := range Parts(h) {
		if part.Partition == partition {
			for _, t := range append(part.Known[:len(part.Known):len(part.Known)], part.Unprotected...) {
				named[t.Workload] = true
			}
		}
	}
	return named
}

// UnprotectedIn lists the work that runs unprotected in a partition, in order of
// quota and then in the quota's own order.
func UnprotectedIn(s *fleet.State, p *fleet.Partition) []fleet.Touched {
	var list []fleet.Touched
	for _, a := range p.Accounts {
		for _, w := range a.Work() {
			if n := w.Unprotected(); n > 0 {
				list = append(list, fleet.Touched{Workload: w.Namespace + "/" + w.Name, Quota: a.Quota, Owner: s.OwnerOf(a.Quota), GPUs: n})
			}
		}
	}
	return list
}

func untold(cluster string, h *fleet.Haircut) []string {
	switch {
	case h == nil:
		return []string{"no saved plan has a wave for " + cluster + ", so no owner was told of one"}
	case len(h.WavesOf(cluster)) == 0:
		return []string{"plan " + h.Name + " has no wave for " + cluster}
	case h.Waves[h.WavesOf(cluster)[0]].Told == 0:
		return []string{"no record says yet that the people concerned by plan " + h.Name + " were told; muster haircut tell " + h.Name + " --done notes it"}
	}
	return nil
}
