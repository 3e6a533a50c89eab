package maintenance

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// newHunt begins the search among updates that fail together: their halves are tried first.
func newHunt(failing []string) *fleet.Hunt {
	return cutInto(failing, 2, 1)
}

// cutInto tries each of so many parts of what fails.
func cutInto(failing []string, cut, round int) *fleet.Hunt {
	h := &fleet.Hunt{Failing: failing, Cut: cut, Round: round}
	for i := range cut {
		if part := failing[i*len(failing)/cut : (i+1)*len(failing)/cut]; len(part) > 0 {
			h.Parts = append(h.Parts, slices.Clone(part))
		}
	}
	return h
}

// others tries what is left of what fails without each part.
func others(h *fleet.Hunt) *fleet.Hunt {
	next := &fleet.Hunt{Failing: h.Failing, Cut: h.Cut, Others: true, Round: h.Round + 1}
	for _, part := range h.Parts {
		next.Parts = append(next.Parts, slices.DeleteFunc(slices.Clone(h.Failing), func(u string) bool { return slices.Contains(part, u) }))
	}
	return next
}

// narrowed is the search after all parts of a round were tried; nil: what fails is the smallest
// set there is. It is ddmin: a part that fails is searched, else what is left without a part, else
// smaller parts are tried (Zeller, Hildebrandt 2002).
func narrowed(h *fleet.Hunt, fails func([]string) bool) (*fleet.Hunt, []string) {
	at := slices.IndexFunc(h.Parts, fails)
	switch {
	case at >= 0 && len(h.Parts[at]) == 1:
		return nil, h.Parts[at]
	case at >= 0 && h.Others:
		return cutInto(h.Parts[at], max(2, h.Cut-1), h.Round+1), nil
	case at >= 0:
		return cutInto(h.Parts[at], 2, h.Round+1), nil
	case !h.Others && h.Cut > 2:
		return others(h), nil
	case h.Cut < len(h.Failing):
		return cutInto(h.Failing, min(len(h.Failing), 2*h.Cut), h.Round+1), nil
	}
	return nil, h.Failing
}

// result is what canaries have shown of a part: passed, failed, or not known yet.
func result(r *fleet.Rollout, part []string) (passed, known bool) {
	for _, t := range r.Trials {
		if t.Ended && !voided(t) && slices.Equal(t.Updates, part) {
			return t.Passed, true
		}
	}
	return false, false
}

// hunt moves the search on where all parts of the round are known. At its end the smallest
// failing set is named, and the rest goes on as a bundle of its own.
func (l *look) hunt(r *fleet.Rollout) *Action {
	for _, part := range r.Hunt.Parts {
		if _, known := result(r, part); !known {
			return nil
		}
	}
	next, culprit := narrowed(r.Hunt, func(part []string) bool { passed, _ := result(r, part); return !passed })
	a := l.changed(r, func(r *fleet.Rollout) {
		if r.Hunt = next; next != nil {
			return
		}
		r.Culprit = append(slices.Clip(r.Culprit), culprit...)
		r.Updates = slices.DeleteFunc(slices.Clone(r.Updates), func(u string) bool { return slices.Contains(culprit, u) })
		if len(r.Updates) == 0 {
			r.State, r.Why, r.Updates = fleet.RolloutPaused, "gate: every update of the bundle fails", culprit
		}
	})
	return &a
}

// huntVisit begins a canary for a part that has none.
func (l *look) huntVisit(r *fleet.Rollout, c census, w *waits) *Action {
	for _, part := range r.Hunt.Parts {
		if tried(r, part) {
			continue
		}
		list := l.partOn(part, c.pending)
		best := l.choose(r, list, w, nil)
		if best == nil && r.Canary.Auto && len(list) > 0 {
			best = l.choose(r, l.outside(r, part, Target{GPU: list[0].p.GPU, Hash: list[0].hash}), w, nil)
		}
		if best != nil {
			return l.visit(r, *best, true)
		}
	}
	for _, t := range r.Trials {
		if !t.Ended {
			w.add(Wait{Code: Soaking, Node: t.Node, Until: t.Until})
		}
	}
	return nil
}

// tried says whether a canary of a part is under way, or has shown something.
func tried(r *fleet.Rollout, part []string) bool {
	return slices.ContainsFunc(r.Trials, func(t fleet.Trial) bool { return !voided(t) && slices.Equal(t.Updates, part) })
}

// partOn is what a part brings to pending nodes that run none of the bundle yet.
func (l *look) partOn(part []string, list []pending) []pending {
	var of []pending
	var t targets
	bundles := map[string]*Bundle{}
	for _, x := range list {
		b := bundles[x.p.GPU]
		if b == nil {
			made := BundleFor(l.m, part, x.p.GPU)
			b, bundles[x.p.GPU] = &made, &made
		}
		if provesNothing(x.n) || slices.ContainsFunc(x.b.Brings, func(c fleet.Component) bool { return x.n.Runs.Version(c.Name) == c.Version }) {
			continue
		}
		of = append(of, pending{p: x.p, at: x.at, n: x.n, b: b, target: t.of(l.m, x.p.GPU, x.n.Runs, b)})
	}
	return of
}
