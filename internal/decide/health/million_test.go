package health_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A replay is signals of a day as they come in: real faults, noise that no rule
// knows, storms of repetitions, duplicates, and a monitor gone mad.
type replay struct {
	rng     *rand.Rand
	batches [][]fleet.Signal
	faulty  map[int]bool // nodes with a true, fatal fault
	madAt   int          // the batch in which the monitor goes mad
	signals int
}

const (
	fleetNodes = 300
	madFrom    = 150 // the monitor gone mad speaks of 77 nodes from here
	madNodes   = 77
)

// newReplay draws n signals in batches, the moments of each batch within its minute.
func newReplay(seed uint64, n, batch int) *replay {
	r := &replay{rng: rand.New(rand.NewPCG(seed, 0)), faulty: map[int]bool{}}
	count := n / batch
	r.madAt = count * 2 / 3
	for b := range count {
		r.batches = append(r.batches, r.batch(b, batch, start.Add(time.Duration(b)*step)))
		r.signals += len(r.batches[b])
	}
	return r
}

// step is the time between two batches.
const step = 30 * time.Second

func (r *replay) batch(b, size int, at fleet.Instant) []fleet.Signal {
	list := make([]fleet.Signal, 0, size)
	add := func(node int, s fleet.Signal, late time.Duration) {
		s.Node, s.At = name(node), at.Add(-late)
		list = append(list, s)
	}
	if b%60 == 30 && len(r.faulty) < 20 && b < r.madAt { // a true fault, now and then
		k := r.rng.IntN(madFrom)
		r.faulty[k] = true
		add(k, fleet.Signal{Agent: "dcgm", Check: "XIDErrors", Codes: []string{[]string{"79", "48", "95"}[len(r.faulty)%3]}, Fatal: true}, 0)
	}
	if b == r.madAt {
		for k := range madNodes {
			add(madFrom+k, fleet.Signal{Agent: "mad", Check: "NodeGone", Codes: []string{"79"}, Fatal: true}, time.Duration(k)*time.Second)
		}
	}
	for len(list) < size {
		k := r.rng.IntN(fleetNodes)
		switch r.rng.IntN(4) {
		case 0: // noise that no rule knows
			add(k, fleet.Signal{Agent: "moon", Check: "MoonPhase"}, time.Duration(r.rng.IntN(600))*time.Second)
		case 1: // the program's own mistake, again and again
			add(k, fleet.Signal{Agent: "dcgm", Check: "XIDErrors", Codes: []string{"31"}}, time.Duration(r.rng.IntN(60))*time.Second)
		case 2: // all is well, long since
			add(k, fleet.Signal{Agent: "npd", Check: "GPUMissing", Well: true}, 0)
		case 3: // what was sent before, in any order
			if len(list) > 0 {
				list = append(list, list[r.rng.IntN(len(list))])
			} else if b > 0 && len(r.batches[b-1]) > 0 {
				list = append(list, r.batches[b-1][r.rng.IntN(len(r.batches[b-1]))])
			}
		}
	}
	return list
}

// play sends the replay to a world, and repairs faulty nodes after a while, as
// people do: automation's budget is for faults at the same time.
func (r *replay) play(w *world) {
	for b, batch := range r.batches {
		w.pass(start.Add(time.Duration(b) * step).Add(time.Second))
		w.do(core.TakeSignals{Signals: batch})
		for k := range w.partition().Nodes {
			if b%60 == 45 && w.node(k).StateOwner == fleet.ByAutomatic && b < r.madAt {
				w.do(core.SetNodes{Names: []string{name(k)}, State: fleet.Repairing, Signal: "ticket"})
			}
		}
	}
}

// MUSTER_SIGNALS asks for another number of signals; `muster bench signals` replays a million.
func signalsTo(t testing.TB) int {
	t.Helper()
	if n, err := strconv.Atoi(os.Getenv("MUSTER_SIGNALS")); err == nil {
		return n
	}
	return 200_000
}

// Many signals: the true faults are out and nothing else, the monitor gone
// mad costs no cluster a node, and the breaker is open.
func TestVeryManySignals(t *testing.T) {
	r := newReplay(1, signalsTo(t), 1000)
	w := newWorld(t, fleetNodes)
	r.play(w)
	p := w.partition()
	for k, n := range p.Nodes {
		if out := n.State == fleet.Quarantined || n.State == fleet.Repairing; out != r.faulty[k] {
			t.Errorf("%s is %s (%s); it has a fault: %t", n.Name, n.State, n.Signal, r.faulty[k])
		}
		if len(n.Health.Conditions) > fleet.ConditionMemory {
			t.Errorf("%s remembers %d conditions", n.Name, len(n.Health.Conditions))
		}
		for _, c := range n.Health.Conditions {
			if len(c.Seen) > fleet.SightMemory {
				t.Errorf("%s remembers %d sights of %s", n.Name, len(c.Seen), c.Check)
			}
		}
	}
	if p.Health.Tripped == 0 {
		t.Error("the breaker is closed")
	}
	if b := p.Health.Burst("mad NodeGone 79"); b == nil || b.Accuses != "monitor mad" || b.Nodes < madNodes-1 {
		t.Errorf("the burst is %+v", b)
	}
	if len(r.faulty) == 0 {
		t.Error("the replay has no fault: it shows nothing")
	}
	journaled := 0
	for _, rec := range w.records {
		data, err := event.Encode(rec)
		if err != nil {
			t.Fatal(err)
		}
		journaled += len(data)
	}
	t.Logf("%d signals, %d true faults, %d records, %.1f MB of journal, %.1f bytes a signal",
		r.signals, len(r.faulty), len(w.records), float64(journaled)/1e6, float64(journaled)/float64(r.signals))
}

// The same signals again, all at once and in another order, change nothing.
func TestSignalsAgainChangeNothing(t *testing.T) {
	r := newReplay(2, 20_000, 500)
	w := newWorld(t, fleetNodes)
	r.play(w)
	before := w.s.Hash()
	last := r.batches[len(r.batches)-1]
	for range 3 {
		r.rng.Shuffle(len(last), func(i, j int) { last[i], last[j] = last[j], last[i] })
		if rec := w.do(core.TakeSignals{Signals: last}); len(rec.Events) > 0 {
			t.Fatalf("signals that were taken before led to %+v", rec.Events)
		}
	}
	if w.s.Hash() != before {
		t.Error("the state has changed")
	}
}

// BenchmarkSignals is signals per second in memory, in batches of 1,000.
func BenchmarkSignals(b *testing.B) {
	r := newReplay(1, 200_000, 1000)
	for b.Loop() {
		w := newWorld(b, fleetNodes)
		b.StartTimer()
		r.play(w)
	}
	b.ReportMetric(float64(r.signals)*float64(b.N)/b.Elapsed().Seconds(), "signals/s")
}
