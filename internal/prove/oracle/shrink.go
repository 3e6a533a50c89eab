package oracle

import (
	"context"
	"slices"
	"time"
)

// Shrink makes a story smaller as long as it still breaks the law of a breach; it
// returns the smallest it found, and what is wrong there.
func Shrink(ctx context.Context, s *Story, b Breach) (*Story, Breach) {
	x := &shrinking{ctx: ctx, best: s, breach: b, until: time.Now().Add(40 * time.Second)}
	for x.round() && time.Now().Before(x.until) {
	}
	return x.best, x.breach
}

type shrinking struct {
	ctx    context.Context
	best   *Story
	breach Breach
	until  time.Time
}

// try keeps a changed story that still breaks the law.
func (x *shrinking) try(change func(s *Story) bool) bool {
	if time.Now().After(x.until) {
		return false
	}
	s := x.best.clone()
	if !change(s) {
		return false
	}
	found, err := Judge(x.ctx, s)
	if err != nil {
		return false
	}
	for _, b := range found {
		if b.Law.Name == x.breach.Law.Name {
			x.best, x.breach = s, b
			return true
		}
	}
	return false
}

// round tries every smaller story once, the largest steps first.
func (x *shrinking) round() (smaller bool) {
	for size := len(x.best.Steps) / 2; size > 0; size /= 2 {
		for i := 0; i+size <= len(x.best.Steps); {
			if x.try(func(s *Story) bool { s.Steps = slices.Delete(s.Steps, i, i+size); return true }) {
				smaller = true
				continue
			}
			i += size
		}
	}
	for i := len(x.best.Quotas) - 1; i >= 0; i-- {
		smaller = x.try(func(s *Story) bool { s.Quotas = slices.Delete(s.Quotas, i, i+1); return true }) || smaller
	}
	smaller = x.fleet() || smaller
	smaller = x.grants() || smaller
	for i := range x.best.Steps {
		smaller = x.submission(i) || smaller
	}
	return x.times() || smaller
}

func (x *shrinking) fleet() (smaller bool) {
	for c := len(x.best.Clusters) - 1; c >= 0; c-- {
		smaller = x.try(func(s *Story) bool { s.Clusters = slices.Delete(s.Clusters, c, c+1); return len(s.Clusters) > 0 }) || smaller
	}
	for c := range x.best.Clusters {
		for i := len(x.best.Clusters[c].Islands) - 1; i >= 0; i-- {
			if x.try(func(s *Story) bool {
				s.Clusters[c].Islands = slices.Delete(s.Clusters[c].Islands, i, i+1)
				return len(s.Clusters[c].Islands) > 0
			}) {
				smaller = true
				continue
			}
			smaller = x.try(func(s *Story) bool {
				was := s.Clusters[c].Islands[i].Racks
				s.Clusters[c].Islands[i].Racks = 1
				return was > 1
			}) || smaller
			for x.try(func(s *Story) bool {
				s.Clusters[c].Islands[i].Nodes--
				return s.Clusters[c].Islands[i].Nodes > 0
			}) {
				smaller = true
			}
		}
	}
	return x.try(func(s *Story) bool { was := s.Buffer; s.Buffer = "0"; return was != "0" }) || smaller
}

func (x *shrinking) grants() (smaller bool) {
	for q := range x.best.Quotas {
		for g := len(x.best.Quotas[q].Grants) - 1; g >= 0; g-- {
			if x.try(func(s *Story) bool {
				s.Quotas[q].Grants = slices.Delete(s.Quotas[q].Grants, g, g+1)
				return len(s.Quotas[q].Grants) > 0
			}) {
				smaller = true
				continue
			}
			smaller = x.try(func(s *Story) bool { was := s.Quotas[q].Grants[g].Gang; s.Quotas[q].Grants[g].Gang = 0; return was > 0 }) || smaller
			for x.try(func(s *Story) bool {
				s.Quotas[q].Grants[g].GPUs -= s.Clusters[0].PerNode
				return s.Quotas[q].Grants[g].GPUs > 0 && s.Quotas[q].Grants[g].GPUs >= s.Quotas[q].Grants[g].Gang
			}) {
				smaller = true
			}
		}
	}
	return smaller
}

func (x *shrinking) submission(i int) (smaller bool) {
	if i >= len(x.best.Steps) || x.best.Steps[i].Submit == nil {
		return false
	}
	set := func(change func(w *Submit) bool) {
		smaller = x.try(func(s *Story) bool { return change(s.Steps[i].Submit) }) || smaller
	}
	for k := len(x.best.Steps[i].Submit.Pools) - 1; k >= 0; k-- {
		set(func(w *Submit) bool { w.Pools = slices.Delete(w.Pools, k, k+1); return len(w.Pools) > 0 })
	}
	for _, d := range []func(w *Submit) *time.Duration{
		func(w *Submit) *time.Duration { return &w.Runtime }, func(w *Submit) *time.Duration { return &w.MaxRuntime },
		func(w *Submit) *time.Duration { return &w.Checkpoint }, func(w *Submit) *time.Duration { return &w.Grace },
	} {
		set(func(w *Submit) bool { was := *d(w); *d(w) = 0; return was > 0 })
	}
	set(func(w *Submit) bool { was := w.Priority; w.Priority = ""; return was != "" })
	for k := range x.best.Steps[i].Submit.Pools {
		set(func(w *Submit) bool { was := w.Pools[k].Asks; w.Pools[k].Asks = ""; return was != "" })
		set(func(w *Submit) bool { was := w.Pools[k].Reach; w.Pools[k].Reach = ""; return was != "" })
		set(func(w *Submit) bool { was := w.Pools[k].Rank; w.Pools[k].Rank = 0; return was > 0 })
		set(func(w *Submit) bool {
			was := w.Pools[k].Max
			w.Pools[k].Min = max(1, w.Pools[k].Min)
			w.Pools[k].Max = 0
			return was > 0
		})
		set(func(w *Submit) bool { w.Pools[k].Max--; return w.Pools[k].Max > w.Pools[k].Min })
		set(func(w *Submit) bool { w.Pools[k].Min--; return w.Pools[k].Min > 0 })
	}
	return smaller
}

// times makes round times of the steps, a minute apart.
func (x *shrinking) times() (smaller bool) {
	for i := range x.best.Steps {
		smaller = x.try(func(s *Story) bool {
			was, from := s.Steps[i].At, time.Duration(0)
			if i > 0 {
				from = s.Steps[i-1].At
			}
			less := was - from - time.Minute
			for k := i; k < len(s.Steps); k++ {
				s.Steps[k].At -= less
			}
			return less > 0
		}) || smaller
	}
	return smaller
}

func (s *Story) clone() *Story {
	c := *s
	c.Clusters = slices.Clone(s.Clusters)
	for i := range c.Clusters {
		c.Clusters[i].Islands = slices.Clone(s.Clusters[i].Islands)
	}
	c.Quotas = slices.Clone(s.Quotas)
	for i := range c.Quotas {
		c.Quotas[i].Grants = slices.Clone(s.Quotas[i].Grants)
	}
	c.Steps = slices.Clone(s.Steps)
	for i, step := range c.Steps {
		if step.Submit != nil {
			w := *step.Submit
			w.Pools = slices.Clone(w.Pools)
			c.Steps[i].Submit = &w
		}
	}
	return &c
}
