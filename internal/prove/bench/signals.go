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
	if err := (replay{how: "in memory", signals: n, least: 50_000, journal: inmemory.New()}).run(ctx, o, &r); err != nil {
		return r, err
	}
	o.say("%d signals durable", n)
	path := filepath.Join(dir, "signals.db")
	j, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return r, err
	}
	defer j.Close()
	err = replay{how: "durable", signals: n, least: 10_000, journal: j, path: path}.run(ctx, o, &r)
	r.remark("Batches of %d, each a command, durable before the next is sent; %d nodes. One signal in four is a repetition, one in four is noise that no rule\n"+
		"knows (up to 10 min old), one in four an application's error, one in four says that all is well. The monitor gone mad speaks of %d nodes at once.",
		signalBatch, signalNodes, madNodes)
	return r, err
}

// replay is signals that are sent to an engine over a journal.
type replay struct {
	how     string // what the figures are called by
	signals int
	least   float64 // signals a second that are aimed at
	journal journal.Journal
	path    string // of its file; "": it has none
}

// run sends the signals, and says how fast they were taken and what followed. A batch comes every
// 30 seconds of the fleet's time; the monitor goes mad once two thirds have been sent.
func (p replay) run(ctx context.Context, o Options, r *Report) error {
	at := fleet.Instant(signalsStart * int64(time.Second))
	e, err := engine.Open(ctx, engine.Options{Journal: p.journal, Now: func() fleet.Instant { return at }, Synchronous: true})
	if err != nil {
		return err
	}
	defer e.Close()
	if err := build(ctx, e, signalNodes, 1); err != nil {
		return err
	}
	s := &monitors{rng: rand.New(rand.NewPCG(o.Seed, 7)), names: nodesIn(e)}
	var spent time.Duration
	batches := p.signals / signalBatch
	for b := range batches {
		batch := s.batch(at, b == batches*2/3)
		begin := time.Now()
		if _, err := e.Do(ctx, core.Request{Command: core.TakeSignals{Signals: batch}, Actor: core.Reporter}); err != nil {
			return err
		}
		spent += time.Since(begin)
		at = at.Add(30 * time.Second)
	}
	rate := float64(p.signals) / spent.Seconds()
	r.add(aimed(Figure{Name: "signals " + p.how, Value: rate, Unit: "signals/s"}, fmt.Sprintf("≥ %.0f/s", p.least), rate >= p.least))
	if p.path != "" {
		if info, err := os.Stat(p.path); err == nil {
			r.add(Figure{Name: "journal", Value: float64(info.Size()) / float64(p.signals), Unit: "bytes a signal"})
		}
	}
	r.outcome(e, p.how)
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

// nodesIn lists the names of all nodes.
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

// batch draws the signals of one command. Where the monitor goes mad, its alarms about many nodes
// come first. A draw that has nothing to repeat is drawn again.
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
			if s = m.last[m.rng.IntN(len(m.last))]; s.Agent == "mad" {
				continue // the monitor goes mad once only
			}
		}
		list = append(list, s)
	}
	m.last = list
	return list
}
