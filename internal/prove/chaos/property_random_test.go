package chaos_test

import (
	"flag"
	"math/rand"
	"testing"
	"time"
)

var (
	seedFlag  = flag.Int64("seed", 0, "play only the random fleet of this seed")
	forFlag   = flag.Duration("for", 0, "how long random fleets are played; 0: -worlds of them, the same ones everywhere")
	worlds    = flag.Int64("worlds", 20, "how many random fleets are played")
	firstFlag = flag.Int64("first", 1, "the first seed")
	linesFlag = flag.Int("lines", 150, "lines in a random fleet's script")
	goOn      = flag.Bool("goon", false, "go on after a seed that breaks a rule")
)

// TestRandomFleets plays random small fleets, and asks after every step whether
// everything that must hold still does.
func TestRandomFleets(t *testing.T) {
	t.Parallel()
	total := counts{}
	playSeeds(t, func(seed int64) bool {
		w, f := playRandom(seed, false, sampling{recount: 2, idle: 3, hash: 3})
		total.add(w)
		if f != nil {
			t.Errorf("%s", smallest(seed, w.script, f))
		}
		return f == nil
	})
	t.Logf("%v", total)
}

// TestRandomFleetsInSilence plays fleets in which people cut grants and nodes fail
// while reports are stale, and nodes are suspect for moments. Its first seed is a new
// one in every run: -seed plays one again.
func TestRandomFleetsInSilence(t *testing.T) {
	t.Parallel()
	first, n := *seedFlag, int64(1)
	if first == 0 {
		first, n = *firstFlag, *worlds/5
	}
	t.Logf("seeds %d to %d; play one again with -run Silence -seed", first, first+n-1)
	for seed := first; seed < first+n; seed++ {
		w, f := playBy(seed, func(a *author) { a.silent = true }, sampling{recount: 2, idle: 3, hash: 3})
		if f != nil {
			t.Errorf("%s", smallest(seed, w.script, f))
			break
		}
	}
}

// onceBroken are seeds that broke something when this room was young: a replica
// that stayed behind, an alignment that went back and forth, borrowers that took
// turns, an eviction that no work needed. As long as author writes the same
// stories for them, they tell of it should it come back.
var onceBroken = []int64{
	5, 23, 32, 60, 65, 104, 357, 437, 459, 512, 1004, 1019, 1033, 1047, 1052, 1057, 1204, 2056, 2630, 2725,
	3013, 3034, 3048, 3069, 3448, 3828, 5080, 5696, 6186, 6265, 7067, 8013, 8440, 10089, 11188, 11241, 12041, 58100097, 60000179, 66101082,
}

// TestFleetsThatBrokeOnce plays them again, with every question and every law.
func TestFleetsThatBrokeOnce(t *testing.T) {
	t.Parallel()
	for _, seed := range onceBroken {
		if w, f := playRandom(seed, false, sampling{recount: 2, idle: 1, hash: 3, before: 1}, lawsOfPlacement...); f != nil {
			t.Errorf("%s", smallest(seed, w.script, f, lawsOfPlacement...))
		}
	}
}

// playSeeds plays the seed that was asked for, or one after another for a while.
func playSeeds(t *testing.T, play func(seed int64) bool) {
	t.Helper()
	if *seedFlag != 0 {
		play(*seedFlag)
		return
	}
	first, n := *firstFlag, int64(0)
	more := func() bool { return n < *worlds }
	if end := time.Now().Add(*forFlag); *forFlag > 0 {
		more = func() bool { return time.Now().Before(end) }
	}
	for ; more(); n++ {
		if !play(first + n) {
			break
		}
	}
	t.Logf("seeds %d to %d; play one again with -seed", first, first+n)
}

func playRandom(seed int64, calm bool, every sampling, laws ...law) (*world, *failure) {
	return playBy(seed, func(a *author) { a.calm = calm }, every, laws...)
}

// playBy plays what an author of this kind writes.
func playBy(seed int64, kind func(*author), every sampling, laws ...law) (*world, *failure) {
	w := newWorld(every, laws...)
	a := &author{chooser: seeded{rand.New(rand.NewSource(seed))}, w: w}
	kind(a)
	a.begin()
	for range *linesFlag {
		if f := w.play(a.next()); f != nil {
			return w, f
		}
	}
	return w, nil
}

// counts says what a test has seen.
type counts struct{ worlds, steps, records, events, refusals int }

func (c *counts) add(w *world) {
	c.worlds++
	c.steps += w.steps
	c.records += w.records
	c.events += w.events
	c.refusals += w.refusals
}
