package scenario

import (
	"context"
	"fmt"
	"time"

	"github.com/muster-fleet/muster/internal/answer/fleetfile"
	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Run tells the story of a file and says what was not as it should be. The
// error is yamlfile.Errors where the file's fleet cannot be built, or the world's.
func Run(ctx context.Context, f *File) (Report, error) { return run(ctx, f, nil) }

func run(ctx context.Context, f *File, open func(Setting) (Stage, error)) (Report, error) {
	return (&telling{file: f, open: open}).reported(ctx)
}

// reported tells the story, and takes its time.
func (t *telling) reported(ctx context.Context) (Report, error) {
	begin := time.Now()
	t.report = Report{File: t.file.Name, Title: t.file.Title, NotYet: t.file.NotYet}
	err := t.tell(ctx)
	t.report.Took = time.Since(begin)
	return t.report, err
}

// telling is one story on its way.
type telling struct {
	file   *File
	open   func(Setting) (Stage, error) // nil: on the simulated cluster
	watch  Watcher                      // nil: no watcher
	world  *world
	report Report
}

func (t *telling) tell(ctx context.Context) error {
	var err error
	if t.world, err = newWorld(ctx, t.open); err != nil {
		return err
	}
	t.world.watch = t.watch
	if err := t.build(ctx); err != nil {
		return err
	}
	for _, s := range t.file.Steps {
		if err := t.step(ctx, s); err != nil {
			return fmt.Errorf("%s:%d: %w", t.file.Name, s.Line, err)
		}
	}
	t.note(0, t.world.now.Sub(Start))
	return nil
}

// build makes the fleet of the file, all at once.
func (t *telling) build(ctx context.Context) error {
	_, changes := fleetfile.Diff(fleet.NewState(), t.file.Fleet)
	if len(changes) == 0 {
		return nil
	}
	refusal, err := t.world.do(ctx, request(changes))
	if err != nil || refusal == nil {
		return err
	}
	for n := range changes {
		if _, err := t.world.engine.DryRun(ctx, request(changes[:n+1])); err != nil {
			return yamlfile.Errors{{File: t.file.Name, Line: changes[n].Line, Message: fmt.Sprintf("%s: %v", changes[n].Text, err)}}
		}
	}
	return refusal
}

func request(changes []fleetfile.Change) core.Request {
	var all []core.Command
	for _, c := range changes {
		all = append(all, c.Command)
	}
	return core.Request{Command: core.Batch{Commands: all}, Actor: operator, Reason: "the scenario's fleet"}
}

func (t *telling) step(ctx context.Context, s Step) error {
	moment := Start.Add(s.At)
	if err := t.world.passUntil(ctx, moment); err != nil {
		return err
	}
	var err error
	switch {
	case s.Restart:
		if err = t.world.restart(ctx); err == nil {
			err = t.world.stage.Rest(ctx)
		}
	case s.Do != nil:
		err = t.do(ctx, s)
	}
	if err != nil {
		return err
	}
	if err := t.world.passUntil(ctx, moment); err != nil {
		return err
	}
	t.checkAlways(s)
	if s.Expect != nil {
		t.note(s.Line, s.At)
	}
	for _, e := range s.Expect {
		t.judge(e)
	}
	return nil
}

// do asks what the step asks, and compares refusals.
func (t *telling) do(ctx context.Context, s Step) error {
	if b, ok := s.Do.(Behave); ok {
		t.world.executor.learn(b)
		return nil
	}
	if o, ok := s.Do.(Outside); ok {
		o.happen(t.world.outside)
		return nil
	}
	if s.Refused == "" && t.world.waits(s.Do) {
		return nil
	}
	r, possible := t.request(s)
	if !possible {
		return nil
	}
	before := ""
	if s.Refused != "" {
		before = t.world.hash()
	}
	undo := t.expectRuntime(s.Do)
	if c, ok := r.Command.(Seen); ok {
		r.Command = c.at(t.world.now)
	}
	refusal, err := t.world.do(ctx, r)
	if err != nil {
		return err
	}
	if refusal != nil {
		undo()
	}
	t.judgeRefusal(s, refusal, before)
	return nil
}

// request is what the step asks of the state as it is now; that there is nothing
// to ask it of is the story's failure.
func (t *telling) request(s Step) (r core.Request, possible bool) {
	var err error
	t.world.engine.Read(func(state *fleet.State) { r, err = s.Do.request(state) })
	if err != nil {
		t.fail(s.Line, "step", "to be possible", err.Error())
	}
	return r, err == nil
}

// expectRuntime tells the cluster's secret; undo takes it back.
func (t *telling) expectRuntime(a Action) (undo func()) {
	submit, ok := a.(Submit)
	if !ok {
		return func() {}
	}
	name := submit.Spec.Namespace + "/" + submit.Spec.Name
	was, had := t.world.runtimes[name]
	delete(t.world.runtimes, name)
	if submit.Ends {
		t.world.runtimes[name] = submit.Runtime
	}
	return func() {
		delete(t.world.runtimes, name)
		if had {
			t.world.runtimes[name] = was
		}
	}
}

func (t *telling) judgeRefusal(s Step, refusal *core.Refusal, before string) {
	switch {
	case s.Refused == "" && refusal != nil:
		t.fail(s.Line, "step", "to be accepted", "refused: "+refusal.Error())
	case s.Refused == "":
	case refusal == nil:
		t.report.Expectations++
		t.fail(s.Line, "step", "refused: "+string(s.Refused), "accepted")
	default:
		t.report.Expectations++
		if refusal.Code != s.Refused {
			t.fail(s.Line, "step", "refused: "+string(s.Refused), "refused: "+refusal.Error())
		}
		if after := t.world.hash(); after != before {
			t.fail(s.Line, "state after a refusal", before, after)
		}
	}
}
