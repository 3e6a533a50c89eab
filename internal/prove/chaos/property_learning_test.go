package chaos_test

import (
	"math/rand"
	"testing"
)

// This file plays houses whose operators choose among buffers that learn, too.

// learnersOnceLate are seeds in which work started later than the grace of its
// own victims: another one, before it in the quota's order, had reserved room on
// the node later, and waited there for later victims.
var learnersOnceLate = []int64{17}

// TestWhoIsAdmittedStartsWithinTheGraceWhereHousesLearn is the same law in houses
// whose promises move by the hour.
func TestWhoIsAdmittedStartsWithinTheGraceWhereHousesLearn(t *testing.T) {
	t.Parallel()
	total := sums{}
	play := func(seed int64) bool {
		w := newWorld(sampling{before: 1}, startsWithinGrace)
		a := &author{chooser: seeded{rand.New(rand.NewSource(seed))}, w: w, housed: true, fair: true, learns: true}
		f := a.tell(3 * seed) // clusters whose victims use their whole grace
		total.add(w)
		tellOf(t, seed, w, f, startsWithinGrace)
		return f == nil || *goOn
	}
	for _, seed := range learnersOnceLate {
		play(seed)
	}
	playSeeds(t, play)
	t.Logf("%v", total)
}

// learnersOnceBroken are seeds of such houses that broke a rule. In 20037 a large gang on
// flex and three small ones evicted each other in turn. In 9001086 three of a tree did so from
// partition to partition. In 30 the flag of a declared gang of a stale cluster changed when it
// was looked at again. In 65200238 a pool's room and its growth were taken back for one start, which counted twice.
var learnersOnceBroken = []int64{20037, 9001086, 30, 65200238}

// TestHousesThatLearnOutliveChaos plays houses in bad weather whose promises follow
// from their own past: the fleet's policy, and those of its parts, may learn.
func TestHousesThatLearnOutliveChaos(t *testing.T) {
	t.Parallel()
	total := sums{}
	play := func(seed int64) bool {
		w := newWorld(sampled, lawsOfPlacement...)
		a := &author{chooser: seeded{rand.New(rand.NewSource(seed))}, w: w, housed: true, learns: true, taught: true}
		f := a.tell(seed)
		if f == nil {
			f = w.play(step{trick: healed})
		}
		total.add(w)
		tellOf(t, seed, w, f, lawsOfPlacement...)
		return f == nil || *goOn
	}
	for _, seed := range learnersOnceBroken {
		play(seed)
	}
	playSeeds(t, play)
	t.Logf("%v", total)
}
