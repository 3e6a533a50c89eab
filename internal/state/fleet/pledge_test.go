package fleet_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

const start = fleet.Instant(480000 * int64(time.Hour)) // a full hour

// yard is a partition of one island whose nodes change, with a promise that never
// exceeds what is whole.
type yard struct {
	s   *fleet.State
	p   *fleet.Partition
	now fleet.Instant
}

func newYard(nodes int) *yard {
	y := &yard{s: fleet.NewState(), now: start}
	y.s.Time = start
	y.s.AddCluster(fleet.Cluster{Name: "t", Mode: fleet.Enforce})
	y.s.AddPartition("t", "g", 8)
	y.p = y.s.Partition("t/g")
	y.p.AddIsland("i", 1)
	for n := range nodes {
		y.p.AddNode(string(rune('a'+n)), 0, 0, y.now)
	}
	return y
}

func (y *yard) promise(nodes int) { y.p.SetPromise(nodes, 0, y.now) }

func (y *yard) turn(node int, state fleet.NodeState) { y.p.SetNode(node, state, 0, "", y.now) }

func (y *yard) outcome(t interface{ Fatalf(string, ...any) }) (o fleet.Outcome, open int) {
	short, _, _ := y.p.Realised(y.now)
	for _, pledge := range short.Open {
		open += pledge.Hours
	}
	if len(short.Done) != 1 {
		t.Fatalf("%d policies", len(short.Done))
	}
	return short.Done[0], open
}

// Ten nodes, nine promised. One down breaks nothing; the second breaks all that were
// made in the day before; those that a day has passed since were kept.
func TestPromisesAreKeptOrBroken(t *testing.T) {
	y := newYard(10)
	y.promise(9)
	y.now = start.Add(48*time.Hour + time.Minute)
	y.turn(0, fleet.Quarantined)
	if o, open := y.outcome(t); o.Kept != 25 || o.Broken != 0 || open != 24 {
		t.Fatalf("one down: %+v, %d open", o, open)
	}
	y.turn(1, fleet.Quarantined)
	o, open := y.outcome(t)
	if o.Kept != 25 || o.Broken != 24 || open != 0 {
		t.Fatalf("two down: %+v, %d open", o, open)
	}
	if o.Installed != 490 || o.HeldBack != 49 {
		t.Errorf("held back %d of %d nodes", o.HeldBack, o.Installed)
	}
}

// A promise is kept at the moment its day is over, though no hour has begun
// that it was not known at before; what goes down at that moment breaks the later ones.
func TestAPromiseIsKeptWhenItsDayIsOver(t *testing.T) {
	y := newYard(10)
	y.promise(9)
	y.now = start.Add(23*time.Hour + 30*time.Minute)
	y.promise(9)
	if o, open := y.outcome(t); o.Kept != 0 || open != 24 {
		t.Fatalf("half an hour before: %+v, %d open", o, open)
	}
	y.now = start.Add(24 * time.Hour)
	if o, open := y.outcome(t); o.Kept != 1 || open != 23 {
		t.Fatalf("a day after: %+v, %d open", o, open)
	}
	y.turn(0, fleet.Quarantined)
	y.turn(1, fleet.Quarantined)
	if o, open := y.outcome(t); o.Kept != 1 || o.Broken != 23 || open != 0 {
		t.Errorf("two down as the day ends: %+v, %d open", o, open)
	}
}

// Whatever happens: each full hour makes one promise, it has one outcome, and a
// naive judge that remembers everything agrees.
func TestEveryPromiseHasOneOutcome(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y := newYard(10)
		down := map[int]bool{}
		promised := 0
		type made struct {
			at    fleet.Instant
			nodes int
			worst int
		}
		var all []made
		y.promise(promised)
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			before := y.now
			y.now = y.now.Add(time.Duration(rapid.IntRange(0, 1800).Draw(t, "minutes")) * time.Minute)
			// A promise is made at each full hour after the step before, and before this one.
			for h := fleet.HourOf(before-1) + 1; h.Begins() < y.now; h++ {
				all = append(all, made{h.Begins(), promised, len(down)})
			}
			switch node := rapid.IntRange(0, 9).Draw(t, "node"); {
			case rapid.Bool().Draw(t, "promise"):
				promised = rapid.IntRange(0, 10-len(down)).Draw(t, "nodes")
				y.promise(promised)
			case down[node]:
				delete(down, node)
				y.turn(node, fleet.Healthy)
			default:
				down[node] = true
				y.turn(node, fleet.Repairing)
				for i, m := range all {
					if y.now < m.at.Add(24*time.Hour) {
						all[i].worst = max(m.worst, len(down))
					}
				}
				promised = min(promised, 10-len(down))
				y.promise(promised)
			}
		}
		kept, broken, open := 0, 0, 0
		for _, m := range all {
			switch {
			case 10-m.worst < m.nodes:
				broken++
			case m.at.Add(24*time.Hour) <= y.now:
				kept++
			default:
				open++
			}
		}
		if len(all) == 0 {
			return
		}
		if o, o2 := y.outcome(t); o.Kept != kept || o.Broken != broken || o2 != open {
			t.Fatalf("%d kept, %d broken, %d open; a naive judge says %d, %d, %d", o.Kept, o.Broken, o2, kept, broken, open)
		}
	})
}

// What an island keeps of its past survives encoding, stays within bounds, and says
// for every hour what was so.
func TestThePastIsKeptWithinBounds(t *testing.T) {
	y := newYard(10)
	for h := range 500 * 24 {
		y.now = start.Add(time.Duration(h)*time.Hour + time.Minute)
		if h%2 == 0 {
			y.turn(0, fleet.Suspect)
		} else {
			y.turn(0, fleet.Healthy)
		}
	}
	past := y.p.Islands[0].Past
	if len(past) > 400*24+1 || len(past) < 365*24 {
		t.Errorf("%d hours kept", len(past))
	}
	for i, spell := range past {
		if spell.Peak != 1 || i > 0 && spell.Hour != past[i-1].Hour+1 {
			t.Fatalf("spell %d: %+v", i, spell)
		}
	}
	data, err := y.s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := fleet.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if again.Hash() != y.s.Hash() || y.s.Clone().Hash() != y.s.Hash() {
		t.Error("the past changes when it is encoded or copied")
	}
}
