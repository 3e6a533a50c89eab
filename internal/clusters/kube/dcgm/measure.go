package dcgm

import (
	"cmp"
	"slices"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Seen is what the GPUs of one workload do: the mean over them.
type Seen struct {
	Namespace, Name string
	Reading
}

// Of makes of readings of pods what is seen of workloads. A workload some of whose
// running pods were not measured is not measured: whether it is idle is not known.
// lacking counts such pods.
func Of(work []translate.Work, readings map[Pod]Reading) (seen []Seen, running, lacking int) {
	for _, w := range work {
		var sum mean
		missing := 0
		for _, part := range w.Pools {
			for _, p := range part.Pods {
				if p.Node == "" || p.Over || p.Leaving {
					continue
				}
				running++
				if r, ok := readings[Pod{translate.Bare(p.Namespace), p.Name}]; ok {
					sum.add(r, p.GPUs)
				} else {
					missing++
				}
			}
		}
		lacking += missing
		switch {
		case missing > 0:
			seen = append(seen, Seen{w.Namespace, w.Name, Reading{fleet.Unmeasured, fleet.Unmeasured}})
		case sum.gpus > 0:
			seen = append(seen, Seen{w.Namespace, w.Name, sum.reading()})
		}
	}
	slices.SortFunc(seen, func(a, b Seen) int { return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name)) })
	return seen, running, lacking
}

// mean weighs readings by GPUs.
type mean struct {
	gpus, sm, tensor int
	untold           bool // of some, tensor cores were not measured
}

func (m *mean) add(r Reading, gpus int) {
	m.gpus += gpus
	m.sm += int(r.SM) * gpus
	m.tensor += int(r.Tensor) * gpus
	m.untold = m.untold || r.Tensor == fleet.Unmeasured
}

func (m *mean) reading() Reading {
	r := Reading{fleet.Permille(m.sm / m.gpus), fleet.Permille(m.tensor / m.gpus)}
	if m.untold {
		r.Tensor = fleet.Unmeasured
	}
	return r
}
