package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/sqlite"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// The fleet of the rates: small, and full, so that what is submitted waits.
const (
	rateNodes  = 64
	rateQuotas = 4
)

// rates measures acknowledged commands per second, in process and over the API,
// with one caller and with 64, each beside SQLite at the same bytes and groups.
func rates(ctx context.Context, o Options, dir string, r *Report) error {
	for _, c := range []struct {
		name    string
		callers int
		remote  bool
	}{
		{"engine, 1 caller", 1, false},
		{"engine, 64 callers", 64, false},
		{"API, 1 client", 1, true},
		{"API, 64 clients", 64, true},
	} {
		if c.remote && o.Remote == nil {
			continue
		}
		o.say("%s", c.name)
		m, err := measure(ctx, o, filepath.Join(dir, fmt.Sprintf("rate-%d-%v.db", c.callers, c.remote)), dir, c.callers, c.remote)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		m.report(r, c.name, c.callers, c.remote)
	}
	r.remark("Each caller submits a workload that waits and takes it back, over and over; both are commands, each acknowledged once it is durable.\n" +
		"SQLite beside it is a bare table with the same settings, bytes per row and rows per sync, in the same seconds.\n" +
		"CORES is how much of the machine the process had meanwhile, client and server together; where it is much less than there are, other programs had the rest.")
	return nil
}

// measured is what came of one way of calling.
type measured struct {
	rate, raw    float64 // commands and rows per second
	cores        float64 // that the process had while commands were given
	group, bytes int     // rows per sync and bytes per row
}

func (m measured) report(r *Report, name string, callers int, remote bool) {
	f := beside(Figure{Name: name, Value: m.rate, Unit: "commands/s", Cores: m.cores}, m.rate/m.raw, "SQLite")
	switch {
	case callers == 64 && remote:
		f = aimed(f, "≥ 10,000/s", m.rate >= 10_000)
	case callers == 64:
		f = aimed(f, "≥ 70 %", m.rate/m.raw >= 0.7)
	}
	r.add(Figure{Name: fmt.Sprintf("SQLite, %d rows of %d bytes per sync", m.group, m.bytes), Value: m.raw, Unit: "rows/s"})
	r.add(f)
}

// measure runs callers and raw SQLite in turns, so that the disk's moods hit both.
func measure(ctx context.Context, o Options, path, dir string, callers int, remote bool) (measured, error) {
	j, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return measured{}, err
	}
	defer j.Close()
	counted := &counting{Journal: j}
	e, err := engine.Open(ctx, engine.Options{Journal: counted})
	if err != nil {
		return measured{}, err
	}
	defer e.Close()
	if err := build(ctx, e, rateNodes, rateQuotas); err != nil {
		return measured{}, err
	}
	if err := fill(ctx, e); err != nil {
		return measured{}, err
	}
	dial, done, err := dialer(o, e, remote)
	if err != nil {
		return measured{}, err
	}
	defer done()
	return turns(ctx, o, dir, counted, newCrowd(dial, callers))
}

// turns lets the crowd and raw SQLite take turns.
func turns(ctx context.Context, o Options, dir string, j *counting, c *crowd) (m measured, err error) {
	const rounds = 3
	span := time.Duration(o.scaled(20)) * 100 * time.Millisecond
	if _, err := c.run(ctx, span/4); err != nil { // to warm up
		return m, err
	}
	j.reset()
	for range rounds {
		began, had := time.Now(), spent()
		n, err := c.run(ctx, span)
		if err != nil {
			return m, err
		}
		m.rate += n / rounds
		m.cores += (spent() - had).Seconds() / time.Since(began).Seconds() / rounds
		m.group, m.bytes = j.shape()
		rate, err := rawRate(ctx, dir, m.group, m.bytes, span)
		if err != nil {
			return m, err
		}
		m.raw += rate / rounds
	}
	return m, nil
}

// fill takes all the quotas' backing, so that what comes after it waits.
func fill(ctx context.Context, e *engine.Engine) error {
	for q := range rateQuotas {
		s := waiting(fmt.Sprintf("full%d", q), q, rateNodes*8/10/rateQuotas)
		if _, err := e.Do(ctx, core.Request{Command: core.Submit{Spec: s}, Actor: operator}); err != nil {
			return err
		}
	}
	return nil
}

// waiting is a gang of whole nodes in a quota. Trees have all their quotas full,
// so there is nothing to borrow either.
func waiting(name string, q, nodes int) fleet.Spec {
	return fleet.Spec{
		Name: name, Namespace: "bench", User: "bench", Target: quota(q), Priority: fleet.Mid, Grace: fleet.DefaultGrace,
		Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: nodes, Max: nodes, Reach: fleet.ReachAny}},
	}
}

// dialer is how callers reach the engine.
func dialer(o Options, e *engine.Engine, remote bool) (dial func() Caller, done func(), err error) {
	if !remote {
		return func() Caller { return direct{e} }, func() {}, nil
	}
	s, err := o.Remote(e)
	if err != nil {
		return nil, nil, err
	}
	return s.Dial, func() { _ = s.Close() }, nil
}

// direct calls the engine in process.
type direct struct{ *engine.Engine }

func (d direct) Submit(ctx context.Context, s fleet.Spec) error {
	_, err := d.Do(ctx, core.Request{Command: core.Submit{Spec: s}, Actor: operator})
	return err
}

func (d direct) Cancel(ctx context.Context, namespace, name string) error {
	_, err := d.Do(ctx, core.Request{Command: core.Cancel{Namespace: namespace, Name: name}, Actor: operator})
	return err
}

// crowd is callers that call at the same time.
type crowd struct {
	callers []Caller
	turn    []int // how often each has called
}

func newCrowd(dial func() Caller, n int) *crowd {
	c := &crowd{turn: make([]int, n)}
	for range n {
		c.callers = append(c.callers, dial())
	}
	return c
}

// run lets all call for a while and returns acknowledged commands per second.
func (c *crowd) run(ctx context.Context, span time.Duration) (float64, error) {
	var all sync.WaitGroup
	var done atomic.Int64
	errs := make([]error, len(c.callers))
	began := time.Now()
	for i, caller := range c.callers {
		all.Go(func() {
			for time.Since(began) < span && errs[i] == nil {
				errs[i] = c.call(ctx, i, caller)
				done.Add(2)
			}
		})
	}
	all.Wait()
	return float64(done.Load()) / time.Since(began).Seconds(), errors.Join(errs...)
}

// call submits a workload that waits, and takes it back.
func (c *crowd) call(ctx context.Context, i int, caller Caller) error {
	c.turn[i]++
	s := waiting(fmt.Sprintf("w%d-%d", i, c.turn[i]), i%rateQuotas, 1)
	if err := caller.Submit(ctx, s); err != nil {
		return err
	}
	return caller.Cancel(ctx, s.Namespace, s.Name)
}

// counting is a journal that knows how it is written.
type counting struct {
	journal.Journal
	groups, rows, bytes atomic.Int64
}

// Append counts, and appends.
func (c *counting) Append(ctx context.Context, entries []journal.Entry) error {
	c.groups.Add(1)
	c.rows.Add(int64(len(entries)))
	for _, e := range entries {
		c.bytes.Add(int64(len(e.Data)))
	}
	return c.Journal.Append(ctx, entries)
}

func (c *counting) reset() {
	c.groups.Store(0)
	c.rows.Store(0)
	c.bytes.Store(0)
}

// shape is the mean group and row so far.
func (c *counting) shape() (group, bytes int) {
	groups, rows := max(1, c.groups.Load()), max(1, c.rows.Load())
	return max(1, int(math.Round(float64(rows)/float64(groups)))), int(c.bytes.Load() / rows)
}
