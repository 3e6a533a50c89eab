package demo

import (
	"context"
	"errors"
	"time"

	"github.com/muster-fleet/muster/internal/answer/fleetfile"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/run/driver/simulated"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// PastSpan is how long the past of a new demo is: promises over 28 days have had their
// time in it for two weeks.
const PastSpan = 42 * day

const day = 24 * time.Hour

// How much slower than the demo its past goes, and how much sooner before its end than
// so many of these spans it becomes as fast as the demo: work that starts has ended when
// the demo begins, or nearly.
const (
	slowest = 600
	hurry   = 5 * time.Minute
)

// tidied is how long before the demo begins its past is tidied up: a monitor is believed again
// only after half an hour.
const tidied = 40 * time.Minute

// paceAt is how many times slower than the demo its past goes at a moment.
func paceAt(at, end fleet.Instant) float64 {
	return max(1, min(slowest, float64(end.Sub(at))/float64(hurry)))
}

// PastFaults are the rates at which nodes failed in the past: four times the measured one,
// so that six weeks have some dozens of faults, and repaired within hours.
func PastFaults() simulated.FaultSettings {
	s := simulated.MeasuredFaults()
	s.Rate *= 4
	for i := range s.Causes {
		s.Causes[i].Median, s.Causes[i].Sigma = 3*time.Hour, 0.7
	}
	s.MaxDown = day
	s.Probation = 3 * time.Minute // as the fleet's policy says
	return s
}

// Past writes what a demo has behind it into a journal that is empty: the demo's own fleet
// and people in virtual time, decided by the engine as all else is.
func Past(ctx context.Context, j journal.Journal, seed uint64, end fleet.Instant) error {
	p := &past{end: end, now: end.Add(-PastSpan), journal: memory.New(), cluster: newCluster(seed, PastFaults())}
	var err error
	p.engine, err = engine.Open(ctx, engine.Options{Journal: p.journal, Synchronous: true, Now: func() fleet.Instant { return p.now }, Driver: p.cluster})
	if err != nil {
		return err
	}
	if err := errors.Join(p.live(ctx, seed), p.engine.Close()); err != nil {
		return err
	}
	_, err = journal.Copy(ctx, j, p.journal, func(uint64) {})
	return err
}

// past is a demo in virtual time.
type past struct {
	now, end fleet.Instant
	journal  journal.Journal
	engine   *engine.Engine
	cluster  *Cluster
	crowd    *Crowd
}

func (p *past) live(ctx context.Context, seed uint64) error {
	file, err := Fleet()
	if err != nil {
		return err
	}
	p.setPace()
	if err := p.do(ctx, core.Request{Command: core.Batch{Commands: fleetfile.Commands(file)}, Actor: core.System, Reason: "the demo's fleet"}); err != nil {
		return err
	}
	p.engine.Read(func(s *fleet.State) { p.cluster.Watch(p.now, s) })
	p.crowd = newCrowd(p.engine, seed, p.now, p.pace)
	if err := p.pass(ctx, p.end.Add(-tidied)); err != nil {
		return err
	}
	p.crowd.quiet("transfers", "incidents", "monitor")
	for _, r := range p.tidies(file) {
		if err := p.do(ctx, r); err != nil {
			return err
		}
	}
	return p.pass(ctx, p.end)
}

// pass lets time pass; between two moments of the demo nothing happens.
func (p *past) pass(ctx context.Context, until fleet.Instant) error {
	for {
		next := min(p.cluster.Due(), p.crowd.Due(), p.engine.NextAlarm())
		if next > until {
			p.now = until
			return nil
		}
		p.now = max(p.now, next)
		p.setPace()
		if err := p.step(ctx); err != nil {
			return err
		}
	}
}

// tidies is what the demo does not begin with: open incidents, a monitor that errs, grants
// that are lent.
func (p *past) tidies(file fleetfile.File) (list []core.Request) {
	p.engine.Read(func(s *fleet.State) {
		list = closesIncident(s)
		if wrong := takenBack(s); wrong != nil {
			list = append(list, says(s, 0, wrong))
		}
		var back core.Batch
		for _, q := range file.Quotas {
			for _, g := range q.Grants {
				if a := s.Partition(g.Partition).Account(q.Path); a.Grant != g.GPUs {
					back.Commands = append(back.Commands, core.SetGrant{Quota: q.Path, Partition: g.Partition, GPUs: g.GPUs, Gang: g.Gang})
				}
			}
		}
		if back.Commands != nil {
			list = append(list, core.Request{Command: back, Actor: operator, Reason: "what was lent goes back"})
		}
	})
	return list
}

func (p *past) pace() float64 { return paceAt(p.now, p.end) }

func (p *past) setPace() { p.cluster.setPace(p.pace()) }

// step does all that is due now.
func (p *past) step(ctx context.Context) error {
	for _, r := range p.cluster.Take(p.now) {
		if err := p.breaks(ctx, r); err != nil {
			return err
		}
		if err := p.do(ctx, p.cluster.Request(r)); err != nil {
			return err
		}
	}
	if err := p.crowd.Wake(ctx, p.now, p.do); err != nil {
		return err
	}
	if p.engine.NextAlarm() <= p.now {
		return p.do(ctx, core.Request{Command: core.Tick{}, Actor: core.System})
	}
	return nil
}

// breaks ends the work that a report costs its last attempt.
func (p *past) breaks(ctx context.Context, r driver.Report) error {
	var failed []core.Request
	p.engine.Read(func(s *fleet.State) { failed = broken(p.cluster.seed, s, r) })
	for _, f := range failed {
		if err := p.do(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// do carries a request out; that something is refused is part of life.
func (p *past) do(ctx context.Context, r core.Request) error {
	_, err := p.engine.Do(ctx, r)
	var no *core.Refusal
	if errors.As(err, &no) {
		return nil
	}
	return err
}
