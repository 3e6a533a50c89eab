package tofu

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Word is the runner of blueprints whose pipeline is this package.
const Word = "tofu"

// Bounds of what runs at once, and for how long.
const (
	mostRuns   = 4
	CheckEvery = 4 * time.Minute // how often an applied project is planned again
	planLimit  = 10 * time.Minute
	applyLimit = 2 * time.Hour
)

// Options say what a Runner works with.
type Options struct {
	Program    string // the path of tofu or terraform
	Folder     string // of working folders, states, runs and their logs; no other program uses it
	Source     Source // where projects come from
	Harmless   []string
	MaxDestroy int               // resources that an apply may destroy unasked, beside harmless kinds
	Secrets    string            // folder of secrets that records name by file:NAME; "": none may be named
	Env        []string          // variables of the server's environment that records may name by env:NAME; nil: none
	People     map[string]string // who may use the state backend beside Muster: passwords by name
	Now        func() time.Time  // nil: time.Now
}

// Runner runs projects. It implements provision.Outside for the steps pipeline, projects and teardown.
type Runner struct {
	o       Options
	backend *backend
	turns   chan struct{}

	mu     sync.Mutex
	live   map[string]context.CancelFunc // runs of this process, by operation
	checks map[string]check              // by cluster
	all    sync.WaitGroup
	end    context.CancelFunc
	ctx    context.Context
}

// Open takes a folder into use.
func Open(o Options) (*Runner, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if _, err := os.Stat(o.Program); err != nil {
		return nil, fmt.Errorf("tofu: %w; name the program tofu or terraform", err)
	}
	for _, sub := range []string{"runs", "states", "work"} {
		if err := os.MkdirAll(filepath.Join(o.Folder, sub), 0o700); err != nil {
			return nil, fmt.Errorf("tofu: %w", err)
		}
	}
	b, err := openBackend(filepath.Join(o.Folder, "states"), o.People)
	if err != nil {
		return nil, err
	}
	r := &Runner{o: o, backend: b, turns: make(chan struct{}, mostRuns), live: map[string]context.CancelFunc{}, checks: map[string]check{}}
	r.ctx, r.end = context.WithCancel(context.Background())
	return r, nil
}

// Close stops what runs, as an interrupt does: the program writes down what it has done. What is
// not finished goes on after the next start.
func (r *Runner) Close() {
	r.end()
	r.all.Wait()
	r.backend.close()
}

// BackendAddress is where the state backend listens.
func (r *Runner) BackendAddress() string { return r.backend.address }

// Find looks a run up. One that a crash has interrupted is taken up again.
func (r *Runner) Find(_ context.Context, o provision.Order) (provision.Report, bool, error) {
	rec, err := r.load(o.ID)
	if errors.Is(err, os.ErrNotExist) {
		return provision.Report{}, false, nil
	}
	if err != nil {
		return provision.Report{}, false, err
	}
	stands := rec.report(r.o.Now()) // once it goes on, the record is the run's own
	if rec.State == fleet.OperationRunning {
		r.start(o, rec)
	}
	return stands, true, nil
}

// Begin writes a run down, and begins it.
func (r *Runner) Begin(_ context.Context, o provision.Order) (provision.Report, error) {
	rec, err := newRecord(o)
	if err != nil {
		return provision.Report{}, &provision.Refused{Class: fleet.ErrorFix, Err: err}
	}
	if err := r.save(rec); err != nil {
		return provision.Report{}, err
	}
	stands := rec.report(r.o.Now()) // once it goes on, the record is the run's own
	r.start(o, rec)
	return stands, nil
}

// Unblock lets a run destroy what it has named.
func (r *Runner) Unblock(_ context.Context, o provision.Order) error {
	rec, err := r.load(o.ID)
	if err != nil || rec.State != fleet.OperationBlocked {
		return err
	}
	rec.Allowed, rec.State, rec.Error = append(rec.Allowed, rec.Destroys...), fleet.OperationRunning, ""
	if err := r.save(rec); err != nil {
		return err
	}
	r.start(o, rec)
	return nil
}

// start lets a run go on in this process, once.
func (r *Runner) start(o provision.Order, rec *record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.live[o.ID] != nil || r.ctx.Err() != nil {
		return
	}
	if is, err := r.load(o.ID); err == nil && is.State != fleet.OperationRunning {
		return // it ended since its record was read
	}
	ctx, end := context.WithCancel(r.ctx)
	r.live[o.ID] = end
	r.all.Go(func() {
		defer end()
		r.turn(ctx, func() { r.run(ctx, o, rec) })
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.live, o.ID)
	})
}

// turn waits until fewer than the most run.
func (r *Runner) turn(ctx context.Context, do func()) {
	select {
	case r.turns <- struct{}{}:
		defer func() { <-r.turns }()
		do()
	case <-ctx.Done():
	}
}
