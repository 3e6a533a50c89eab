package chaos_test

import (
	"fmt"
	"math/rand"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestQuietFleetsComeToRest plays fleets in which nothing fails and, after a
// while, no request comes: evictions then come to an end, however little
// the work fits together, and however long it runs past what it declared.
func TestQuietFleetsComeToRest(t *testing.T) {
	t.Parallel()
	total := counts{}
	playSeeds(t, func(seed int64) bool {
		w, f := playQuiet(seed)
		total.add(w)
		if f != nil {
			tellOf(t, seed, w, f, lawsOfPlacement...)
		}
		return f == nil || *goOn
	})
	t.Logf("%+v", total)
}

// resting is the line in which no request comes any more.
const resting = 60 * 24 * time.Hour

func playQuiet(seed int64) (*world, *failure) {
	w := newWorld(sampling{idle: 5, recount: 10, before: 1}, lawsOfPlacement...)
	a := &author{chooser: seeded{rand.New(rand.NewSource(seed))}, w: w}
	a.begin()
	for range 12 + a.upTo(30) {
		if f := w.play(a.quiet(seed)); f != nil {
			return w, f
		}
	}
	if f := w.play(step{after: resting, do: core.Tick{}}); f != nil {
		return w, f
	}
	if f := w.idle(); f != nil {
		return w, f
	}
	if next, more := w.nextHappening(); more {
		return w, &failure{rule: "evictions come to an end", detail: fmt.Sprintf("%T is still to come", next.do), at: len(w.script)}
	}
	return w, nil
}

// quiet is the next line of a quiet story: mostly a person submits; work that targets
// what, and whether anybody says how long it runs, depends on the seed.
func (a *author) quiet(seed int64) step {
	if len(a.queue) > 0 {
		return a.next()
	}
	st := step{after: a.pause()}
	if a.chance(8) {
		st.do = a.cancel()
		return st
	}
	submit := a.submit().(core.Submit)
	if a.chance(30) {
		st.runs = pick(a, 10*time.Minute, 5*time.Hour)
	}
	switch seed % 3 {
	case 0:
		submit.Spec.Target = fleet.Flex
	case 1:
		submit.Spec.Target = pick(a, a.w.s.Quotas...).Path
	}
	if seed%2 == 0 {
		submit.Spec.MaxRuntime = 0
	}
	st.do = submit
	return st
}
