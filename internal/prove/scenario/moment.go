package scenario

import (
	"cmp"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Moment is what was true at one moment of a story: every figure that an
// expectation may name, of every workload, quota, partition and namespace.
type Moment struct {
	Line int           // of the expect step; 0: the end of the story
	At   time.Duration // from the start
	Rows []Row
}

// Row is all figures of one thing.
type Row struct {
	Subject   string // workload, quota, partition or namespace
	Name      string
	Partition string // of quotas and namespaces
	Figures   []Actual
}

// Actual is one figure as it was: an int, a time.Duration, a string, a []string or
// a map[string]int; nil where the figure does not apply.
type Actual struct {
	Name string
	Is   any
}

// note keeps all figures of this moment, where the file asks for them.
func (t *telling) note(line int, at time.Duration) {
	if !t.file.Moments {
		return
	}
	t.world.engine.Read(func(s *fleet.State) {
		m := Moment{Line: line, At: at}
		for _, e := range everything(s) {
			m.Rows = append(m.Rows, t.row(s, e))
		}
		t.report.Moments = append(t.report.Moments, m)
	})
}

// row asks for every figure of a thing.
func (t *telling) row(s *fleet.State, e Expectation) Row {
	r := Row{Subject: e.Subject, Name: e.Name, Partition: e.Partition}
	actual := t.actual(s, e)
	for _, sub := range subjects {
		if sub.key != e.Subject {
			continue
		}
		for _, f := range sub.figures {
			if !f.later {
				r.Figures = append(r.Figures, Actual{f.name, actual(f.name)})
			}
		}
	}
	return r
}

// everything lists the workloads in order of submission (the last of each name),
// and the quotas, partitions and namespaces in order of partition, then name.
func everything(s *fleet.State) (all []Expectation) {
	for _, w := range lastOfEachName(s) {
		all = append(all, Expectation{Subject: "workload", Name: w.Name})
	}
	for _, q := range view.Quotas(s) {
		all = append(all, Expectation{Subject: "quota", Name: q.Quota, Partition: q.Partition})
	}
	for _, p := range s.Partitions {
		all = append(all, Expectation{Subject: "partition", Name: p.ID})
	}
	for _, n := range view.Namespaces(s) {
		all = append(all, Expectation{Subject: "namespace", Name: n.Namespace, Partition: n.Partition})
	}
	return all
}

func lastOfEachName(s *fleet.State) (list []*fleet.Workload) {
	for _, w := range s.Workloads {
		if named(s, w.Name) == w {
			list = append(list, w)
		}
	}
	slices.SortFunc(list, func(a, b *fleet.Workload) int { return cmp.Compare(a.ID, b.ID) })
	return list
}
