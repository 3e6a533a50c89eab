package past_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/past"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// lengths are those that odds are stated for.
var lengths = []time.Duration{time.Hour, 6 * time.Hour, 24 * time.Hour}

// stated is what was said of a run on flex when it began, and what came of it.
type stated struct {
	gpus   int
	began  fleet.Instant
	runs   time.Duration // its secret run time
	odds   []past.Odds
	lasted time.Duration // without a break
	over   bool
}

// flexWorld is a world in which work comes and goes, and odds are stated for
// every run on flex as it begins.
type flexWorld struct {
	*world
	r      *rand.Rand
	book   *past.Book
	secret map[uint64]time.Duration
	ends   map[uint64]fleet.Instant
	open   map[uint64]*stated
	all    []*stated
	drawn  int
	tide   float64 // how busy the quotas are: by turns of some days
}

func (f *flexWorld) hear(r event.Record, s *fleet.State) {
	f.book.Add(r)
	for _, e := range r.Events {
		switch e := e.(type) {
		case event.WorkloadSubmitted:
			f.secret[e.ID] = f.about(5*time.Hour, 1.3)
		case event.ReplicasPlaced:
			f.begin(s.Workloads[e.ID])
		case event.ReplicasStarted:
			f.begin(s.Workloads[e.ID])
		case event.ReplicasEvicted:
			f.cut(e.ID, e.Whole)
		case event.ReplicasLost:
			f.cut(e.ID, true)
		}
	}
	for id := range f.ends {
		if w := s.Workloads[id]; w == nil || w.State != fleet.RunningW {
			delete(f.ends, id)
		}
	}
}

func (f *flexWorld) about(median time.Duration, tail float64) time.Duration {
	return time.Duration(float64(median) * math.Exp(tail*f.r.NormFloat64()))
}

func (f *flexWorld) begin(w *fleet.Workload) {
	if w.State != fleet.RunningW || f.ends[w.ID] != 0 {
		return
	}
	f.ends[w.ID] = f.now.Add(f.secret[w.ID])
	if !w.Flexes() {
		return
	}
	st := &stated{gpus: w.NeedsBase(), began: f.now, runs: f.secret[w.ID]}
	var ms []int64
	for _, d := range lengths {
		ms = append(ms, d.Milliseconds())
	}
	st.odds = f.book.Outlook("tiger/h200", st.gpus, ms, int64(f.now)/1e6).Odds
	f.open[w.ID] = st
}

func (f *flexWorld) cut(id uint64, whole bool) {
	if st := f.open[id]; st != nil && whole {
		f.end(id, st)
	}
}

func (f *flexWorld) end(id uint64, st *stated) {
	st.lasted, st.over = f.now.Sub(st.began), true
	f.all = append(f.all, st)
	delete(f.open, id)
}

// finish ends what has run its time.
func (f *flexWorld) finish() {
	for id := uint64(1); id < f.s.NextID; id++ {
		at, runs := f.ends[id]
		if !runs || at > f.now {
			continue
		}
		if st := f.open[id]; st != nil {
			f.end(id, st)
		}
		delete(f.ends, id)
		f.do(core.ReportFinished{ID: id})
	}
}

func (f *flexWorld) live(days int) {
	for range days * 48 {
		f.pass(30 * time.Minute)
		f.finish()
		if f.drawn%97 == 0 {
			f.tide = 0.3 + 1.4*f.r.Float64()
		}
		f.drawn++
		if f.r.Float64() < 0.25*f.tide {
			f.submit([]string{"r/x", "r/y"}[f.r.IntN(2)], 1+f.r.IntN(2))
		}
		if f.r.Float64() < 0.2 {
			f.submit(fleet.Flex, 1+f.r.IntN(3))
		}
		if f.r.Float64() < 0.01 {
			f.do(core.SetNodes{Names: []string{f.s.Partition("tiger/h200").Nodes[f.r.IntN(8)].Name}, State: fleet.Quarantined, Signal: "XID 79"})
		}
		for _, n := range f.s.Partition("tiger/h200").Nodes {
			if n.State == fleet.Quarantined && n.Since.Add(8*time.Hour) < f.now {
				f.do(core.SetNodes{Names: []string{n.Name}, State: fleet.Healthy})
			}
		}
	}
}

func (f *flexWorld) submit(target string, replicas int) {
	f.drawn++
	s := gang(fmt.Sprint("w", f.drawn), target, replicas, 0)
	s.Namespace = []string{"n", "m", "o"}[f.r.IntN(3)]
	s.Pools[0].GPUs = 1 << f.r.IntN(4)
	f.do(core.Submit{Spec: s})
}

// Odds that were stated hold: of the runs that would have gone on long enough,
// as many did as was said, within five points, for each length of time.
func TestStatedOddsOfFlexHold(t *testing.T) {
	said, held, n := make([]float64, len(lengths)), make([]float64, len(lengths)), make([]int, len(lengths))
	for seed := range uint64(2) {
		f := &flexWorld{
			r: rand.New(rand.NewPCG(seed, 8)), book: past.New(), secret: map[uint64]time.Duration{},
			ends: map[uint64]fleet.Instant{}, open: map[uint64]*stated{}, tide: 1,
		}
		f.world = newWorld(t, f.hear)
		f.live(90)
		for _, st := range f.all {
			for i, o := range st.odds {
				if o.Known && st.runs >= lengths[i] {
					n[i]++
					said[i] += o.Odds
					if st.lasted >= lengths[i] {
						held[i]++
					}
				}
			}
		}
	}
	for i, d := range lengths {
		a, b := 100*said[i]/float64(n[i]), 100*held[i]/float64(n[i])
		t.Logf("%v: said %.1f %%, held %.1f %%, of %d runs", d, a, b, n[i])
		if n[i] < 100 || math.Abs(a-b) > 5 {
			t.Errorf("over %v: the odds said %.1f %%, and %.1f %% of %d runs lasted", d, a, b, n[i])
		}
		if b > 98 {
			t.Errorf("over %v nearly every run lasted: the test shows nothing", d)
		}
	}
}

func TestTooFewRunsSayNothing(t *testing.T) {
	s := tell(t)
	s.must(core.Submit{Spec: gang("g", fleet.Flex, 1, 0)})
	s.pass(time.Hour)
	o := s.book.Outlook("tiger/h200", 8, []int64{hours(1)}, int64(s.now)/1e6)
	if o.Runs != 1 || o.Odds[0].Known {
		t.Errorf("from one run the outlook is %+v, want nothing known", o)
	}
}
