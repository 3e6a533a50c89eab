package tofu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// blockedError says that a person has to allow what a plan would destroy.
type blockedError struct {
	project  string
	destroys []string // PROJECT: RESOURCE, as a person allows them
}

// mostNamed is how many resources a message names.
const mostNamed = 5

func (b *blockedError) Error() string {
	named := make([]string, len(b.destroys))
	for i, a := range b.destroys {
		named[i] = strings.TrimPrefix(a, b.project+": ")
	}
	return "project " + b.project + " would destroy " + text.Few(named, mostNamed)
}

// driftError says that a project is not as it was applied.
type driftError struct{ project, says string }

func (d *driftError) Error() string {
	return "project " + d.project + " is not as it was applied: " + d.says
}

// run takes a run to its end, to a person, or to the end of the process.
func (r *Runner) run(ctx context.Context, o provision.Order, rec *record) {
	endLeftovers(ctx, r.mark(o))
	err := r.inProjects(ctx, o, rec, r.apply)
	after, done := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	endLeftovers(after, r.mark(o))
	done()
	if r.ctx.Err() != nil {
		return // it goes on after the next start
	}
	var blocked *blockedError
	switch {
	case err == nil:
		rec.State = fleet.OperationSucceeded
		if o.Step == fleet.StepPipeline {
			r.saw(rec.Cluster, o.Generation, time.Time{}, true, rec.evidence())
		}
	case errors.As(err, &blocked):
		rec.State, rec.Error, rec.Destroys, rec.Blocks = fleet.OperationBlocked, blocked.Error(), blocked.destroys, rec.Blocks+1
	default:
		rec.State, rec.Class, rec.Error = fleet.OperationFailed, classOf(err.Error()), brief(err.Error())
	}
	_ = r.save(rec) // where it cannot be written the run is taken up again, and ends the same
}

// inProjects does something in each project of a run that is not done yet.
func (r *Runner) inProjects(ctx context.Context, o provision.Order, rec *record, do func(context.Context, *call, *record, *project) error) error {
	password := r.backend.enter(rec.Operation, rec.Cluster)
	defer r.backend.leave(rec.Operation)
	for i := range rec.Projects {
		p := &rec.Projects[i]
		if p.Empty {
			continue
		}
		c, err := r.prepare(ctx, o, p, password)
		if err != nil {
			return fmt.Errorf("project %s: %w", p.Name, err)
		}
		err = do(ctx, c, rec, p)
		c.end()
		if err != nil {
			return c.masked(r.locked(err, rec, p))
		}
	}
	return nil
}

// locked says who holds the state of a project, where that is what is wrong.
func (r *Runner) locked(err error, rec *record, p *project) error {
	if !strings.Contains(err.Error(), "Error acquiring the state lock") {
		return err
	}
	return fmt.Errorf("project %s: the state is locked by %s; the lock is waited for (Error acquiring the state lock)", p.Name, r.backend.holder(rec.Cluster, p.Name))
}

// apply brings a project to what is wanted: a plan, its judgement, that very plan applied, and
// a plan that is empty.
func (r *Runner) apply(ctx context.Context, c *call, rec *record, p *project) error {
	changes, err := c.plan(ctx)
	if err != nil {
		return fmt.Errorf("project %s: %w", p.Name, err)
	}
	if changes {
		if err := r.judge(ctx, c, rec, p); err != nil {
			return err
		}
		if err := c.apply(ctx); err != nil {
			return fmt.Errorf("project %s: %w", p.Name, err)
		}
		p.Applied = true
		if err := r.save(rec); err != nil {
			return err
		}
		if err := r.plansNothing(ctx, c, rec, p); err != nil {
			return err
		}
	}
	p.Empty = true
	return r.save(rec)
}

// judge lets a plan pass that destroys no more than is allowed.
func (r *Runner) judge(ctx context.Context, c *call, rec *record, p *project) error {
	if rec.Step == fleet.StepTeardown { // a person confirmed it by name
		return nil
	}
	shown, err := c.show(ctx)
	if err != nil {
		return fmt.Errorf("project %s: %w", p.Name, err)
	}
	list := destroyed(shown, r.o.Harmless)
	unasked := slices.DeleteFunc(list, func(a string) bool { return slices.Contains(rec.Allowed, p.Name+": "+a) })
	if len(unasked) <= r.o.MaxDestroy {
		return nil
	}
	named := make([]string, len(unasked))
	for i, a := range unasked {
		named[i] = p.Name + ": " + a
	}
	return &blockedError{p.Name, named}
}

// plansNothing says whether a project is as it was applied.
func (r *Runner) plansNothing(ctx context.Context, c *call, _ *record, p *project) error {
	changes, err := c.plan(ctx)
	if err != nil {
		return fmt.Errorf("project %s: %w", p.Name, err)
	}
	if changes {
		return &driftError{p.Name, "its plan is not empty"}
	}
	p.Empty = true
	return nil
}

// classes are words of errors, and what they ask for.
var classes = []struct {
	words string
	class fleet.ErrorClass
}{
	{"Error acquiring the state lock", fleet.ErrorWait},
	{"TooManyRequests", fleet.ErrorWait},
	{"429", fleet.ErrorWait},
	{"QuotaExceeded", fleet.ErrorWait},
	{"OperationNotAllowed", fleet.ErrorWait},
	{"AllocationFailed", fleet.ErrorWait},
	{"SkuNotAvailable", fleet.ErrorWait},
	{"AuthorizationFailed", fleet.ErrorPerson},
	{"AuthenticationFailed", fleet.ErrorPerson},
	{"does not have authorization", fleet.ErrorPerson},
	{"is not as it was applied", fleet.ErrorFix},
	{"Unsupported argument", fleet.ErrorFix},
	{"Unsupported block type", fleet.ErrorFix},
	{"Missing required argument", fleet.ErrorFix},
	{"No value for required variable", fleet.ErrorFix},
	{"Invalid value for variable", fleet.ErrorFix},
	{"Reference to undeclared", fleet.ErrorFix},
	{"Invalid reference", fleet.ErrorFix},
	{"Invalid provider", fleet.ErrorFix},
	{"configuration must be valid before", fleet.ErrorFix},
	{"Failed to query available provider packages", fleet.ErrorFix},
	{"there is no such project", fleet.ErrorFix},
	{"is no secret that", fleet.ErrorFix},
	{"Resource precondition failed", fleet.ErrorFix},
}

// classOf says what the words of an error ask for.
func classOf(text string) fleet.ErrorClass {
	text = strings.Join(strings.Fields(text), " ") // the program breaks its lines
	for _, c := range classes {
		if strings.Contains(text, c.words) {
			return c.class
		}
	}
	return fleet.ErrorUnknown
}

// mostWords bounds what is kept of an error, in bytes.
const mostWords = 900

// brief makes one line of an error, without the frame that the program draws around it.
func brief(text string) string {
	if head, rest, found := strings.Cut(text, "Error: "); found { // warnings stand before it
		project, _, _ := strings.Cut(head, ": ")
		if _, cause, more := strings.Cut(rest, "Error: "); more && strings.Contains(rest[:len(rest)-len(cause)], "encountered problems") {
			rest = cause // the first one says only that there is another
		}
		text = project + ": " + rest
	}
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return r == '│' || r == '╷' || r == '╵' || r == ' ' || r == '\n' || r == '\t' || r == '\r'
	}), " ")
	if len(text) > mostWords {
		text = strings.ToValidUTF8(text[:mostWords], "") + "…"
	}
	return text
}
