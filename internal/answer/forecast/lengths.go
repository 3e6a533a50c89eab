package forecast

import (
	"hash/fnv"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// drawn lengths are those of one of several paths: every thing takes another
// quantile of what is known of its like.
type drawn struct {
	history     *History
	path, paths int
}

func (d drawn) runtime(w *fleet.Workload, ran time.Duration) (time.Duration, bool) {
	return d.history.runtime(w, ran, draw(w.ID, d.path, d.paths))
}

func (d drawn) repair(p *fleet.Partition, node int, down time.Duration) (time.Duration, bool) {
	h := fnv.New64a()
	h.Write([]byte(p.Nodes[node].Name))
	return d.history.repair(p, down, draw(h.Sum64(), d.path, d.paths))
}

// visit is how long the work of a visit takes: as visits of the same component took, where enough were measured.
func (d drawn) visit(m *fleet.Maintained, gpu string, v fleet.Visit) time.Duration {
	if len(v.Brings) != 1 {
		return v.Lasts
	}
	l, ok := m.Measured.Length(gpu, v.Brings[0].Name)
	if !ok {
		return v.Lasts
	}
	h := fnv.New64a()
	h.Write([]byte(v.Node))
	sorted := slices.Sorted(slices.Values(l.Took))
	return sorted[int(draw(h.Sum64(), d.path, d.paths)*int64(len(sorted))/whole)]
}

// declared lengths are all that was declared, and nothing else.
type declared struct{}

func (declared) runtime(w *fleet.Workload, ran time.Duration) (time.Duration, bool) {
	return w.MaxRuntime, w.MaxRuntime > ran
}

func (declared) repair(*fleet.Partition, int, time.Duration) (time.Duration, bool) { return 0, false }

func (declared) visit(_ *fleet.Maintained, _ string, v fleet.Visit) time.Duration { return v.Lasts }
