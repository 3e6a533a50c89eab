package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal"
	inmemory "github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/run/journal/sqlite"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// The signals that are replayed: how many, how many at once, and of which fleet.
const (
	manySignals  = 1_000_000
	signalBatch  = 1000
	signalNodes  = 300
	madNodes     = 77
	signalsStart = 1_767_225_600 // 2026-01-01
)

// signals replays signals with storms, duplicates, noise out of order, and two
// thirds through a monitor gone mad, in memory and on disk.
func signals(ctx context.Context, o Options) (Report, error) {
	r := Report{Bench: "signals", Machine: ThisMachine(), Quick: o.Quick, Seed: o.Seed}
	dir, err := os.MkdirTemp(o.Dir, "muster-bench-")
	if err != nil {
		return r, fmt.Errorf("a folder to measure in: %w", err)
	}
	defer os.RemoveAll(dir)
	n := o.scaled(manySignals)
	o.say("%d signals in memory", n)
	if err := replay(ctx, o, &r, n, "in memory", 50_000, inmemory.New(), ""); err != nil {
		return r, err
	}
	o.say("%d signals durable", n)
	path := filepath.Join(dir, "signals.db")
	j, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return r, err
	}
	defer j.Close()
	err = replay(ctx, o, &r, n, "durable", 10_000, j, path)
	r.remark("Batches of %d, each a command, durable before the next is sent; %d nodes. One signal in four is a repetition, one in four is noise that no rule\n"+
		"knows (up to 10 min old), one in four an application's error, one in four says that all is well. The monitor gone mad speaks of %d nodes at once.",
		signalBatch, signalNodes, madNodes)
	return r, err
}

// replay sends n signals and says how fast they were taken, and what followed.
func replay(ctx context.Context, o Options, r *Report, n int, how string, aim float64, j journal.Journal, path string) error {
	at := fleet.Instant(signalsStart * int64(time.Second))
	e, err := engine.Open(ctx, engine.Options{Journal: j, Now: func() fleet.Instant { return at }, Synchronous: true})
	if err != nil {
		return err
	}
	defer e.Close()
	if err := build(ctx, e, signalNodes, 1); err != nil {
		return err
	}
	s := &monitors{rng: rand.New(rand.NewPCG(o.Seed, 7)), names: nodesIn(e)}
	var spent time.Duration
	for b := range n / signalBatch {
		batch := s.batch(at, b == n/signalBatch*2/3)
		begin := time.Now()
		if _, err := e.Do(ctx, core.Request{Command: core.TakeSignals{Signals: batch}, Actor: core.Driver}); err != nil {
			return err
		}
		spent += time.Since(begin)
		at = at.Add(30 * time.Second)
	}
	rate := float64(n) / spent.Seconds()
	r.add(aimed(Figure{Name: "signals " + how, Value: rate, Unit: "signals/s"}, fmt.Sprintf("≥ %.0f/s", aim), rate >= aim))
	if path != "" {
		if info, err := os.Stat(path); err == nil {
			r.add(Figure{Name: "journal", Value: float64(info.Size()) / float64(n), Unit: "bytes a signal"})
		}
	}
	r.outcome(e, how)
	return nil
}

// outcome is what the replay left behind.
func (r *Report) outcome(e *engine.Engine, how string) {
	out, open := 0, 0
	e.Read(func(s *fleet.State) {
		for _, p := range s.Partitions {
			if p.Health.Tripped != 0 {
				open++
			}
			for _, n := range p.Nodes {
				if n.State != fleet.Healthy {
					out++
				}
			}
		}
	})
	r.add(aimed(Figure{Name: "nodes out of service, " + how, Value: float64(out), Unit: "nodes"}, "0", out == 0))
	r.add(aimed(Figure{Name: "breakers open, " + how, Value: float64(open), Unit: "breakers"}, "1", open == 1))
}

func nodesIn(e *engine.Engine) (names []string) {
	e.Read(func(s *fleet.State) {
		for _, p := range s.Partitions {
			for _, n := range p.Nodes {
				names = append(names, n.Name)
			}
		}
	})
	return names
}

// monitors draw signals of a fleet in which no node has a fault.
type monitors struct {
	rng   *rand.Rand
	names []string
	last  []fleet.Signal
}

func (m *monitors) batch(at fleet.Instant, mad bool) []fleet.Signal {
	list := make([]fleet.Signal, 0, signalBatch)
	for k := 0; mad && k < min(madNodes, len(m.names)); k++ {
		list = append(list, fleet.Signal{Agent: "mad", Check: "NodeGone", Codes: []string{"79"}, Fatal: true, Node: m.names[k], At: at})
	}
	for len(list) < signalBatch {
		s := fleet.Signal{Node: m.names[m.rng.IntN(len(m.names))], At: at.Add(-time.Duration(m.rng.IntN(600)) * time.Second)}
		switch m.rng.IntN(4) {
		case 0:
			s.Agent, s.Check = "moon", "MoonPhase"
		case 1:
			s.Agent, s.Check, s.Codes = "dcgm", "XIDErrors", []string{"31"}
		case 2:
			s.Agent, s.Check, s.Well = "npd", "GPUMissing", true
		default:
			if len(m.last) == 0 {
				continue
			}
			s = m.last[m.rng.IntN(len(m.last))]
			if s.Agent == "mad" {
				continue
			}
		}
		list = append(list, s)
	}
	m.last = list
	return list
}
