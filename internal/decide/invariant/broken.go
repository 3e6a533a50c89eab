package invariant

import (
	"fmt"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Broken is one thing that does not hold.
type Broken struct {
	Partition string // "" concerns the whole fleet
	Rule      string // a stable name of what must hold
	Detail    string // what is the case instead, with names and figures
}

func (b Broken) String() string {
	where := b.Partition
	if where == "" {
		where = "fleet"
	}
	return fmt.Sprintf("%s: %s: %s", where, b.Rule, b.Detail)
}

// Check asks everything of a state: the laws of every partition, and every
// index against a recount. Its cost is that of the whole state.
func Check(s *fleet.State) []Broken {
	var found []Broken
	for _, p := range s.Partitions {
		found = append(found, CheckPartition(p)...)
	}
	return append(found, Recount(s)...)
}

// CheckPartition asks the laws of one partition. It trusts the indexes, so that
// its cost is that of the partition's nodes and the work that stands there.
func CheckPartition(p *fleet.Partition) []Broken {
	c := &checker{partition: p.ID}
	c.heldOnce(p)
	c.visits(p)
	if acts(p) { // elsewhere others decide what stands where
		c.owners(p)
	}
	for _, w := range standing(p) {
		c.gangs(p, w)
		c.units(w)
		c.life(w)
	}
	if p.Halted() != "" {
		return c.found // decided no more, so never at rest
	}
	if acts(p) {
		c.covers(p)
	}
	if !silent(p) { // with silence the last backing stays, whatever else changes
		c.promises(p)
		c.figures(p)
	}
	return c.found
}

// After asks the laws of the partitions that are named, and whether the evictions of a
// record were allowed. It trusts the state's indexes, so that a server can afford it now and then.
func After(s *fleet.State, partitions []string, evictions []Eviction) []Broken {
	var found []Broken
	for _, id := range partitions {
		if p := s.Partition(id); p != nil {
			found = append(found, CheckPartition(p)...)
		}
	}
	return append(found, CheckEvictions(s, evictions)...)
}

// checker collects what it finds broken in one place.
type checker struct {
	partition string
	found     []Broken
}

func (c *checker) broken(rule, detail string, args ...any) {
	c.found = append(c.found, Broken{c.partition, rule, fmt.Sprintf(detail, args...)})
}

// atMost finds a rule broken where a figure is above its bound. What and whose
// say which figure; they are put together only if it is broken, as nearly always
// it is not.
func (c *checker) atMost(rule, what, whose string, is, bound int) {
	if is > bound {
		c.broken(rule, "%s%s: %d is more than %d", what, whose, is, bound)
	}
}

func (c *checker) equal(rule, what, whose string, is, want int) {
	if is != want {
		c.broken(rule, "%s%s: %d is not %d", what, whose, is, want)
	}
}

// silent says whether nothing is decided in a partition for now.
func silent(p *fleet.Partition) bool {
	c := p.State().Cluster(p.Cluster)
	return c != nil && c.Stale
}

// acts says whether Muster decides what runs in a partition, and not others.
func acts(p *fleet.Partition) bool {
	c := p.State().Cluster(p.Cluster)
	return c == nil || c.Mode == fleet.Enforce
}

// deciding says whether placement acts in a partition.
func deciding(p *fleet.Partition) bool {
	c := p.State().Cluster(p.Cluster)
	return p.Halted() == "" && (c == nil || (!c.Stale && c.Mode == fleet.Enforce))
}

// standing lists the workloads with replicas in a partition.
func standing(p *fleet.Partition) []*fleet.Workload {
	list := append([]*fleet.Workload(nil), p.FlexWork()...)
	for _, a := range p.Accounts {
		list = append(list, a.Work()...)
	}
	return list
}

// called is a workload's name as messages say it.
func called(w *fleet.Workload) string {
	return fmt.Sprintf("%s/%s (%d, %s)", w.Namespace, w.Name, w.ID, w.State)
}
