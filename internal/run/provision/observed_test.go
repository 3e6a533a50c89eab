package provision_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/run/provision/simulated"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// way is how an observation goes wrong.
type way string

// Answers of the outside are dropped, slow, or older than what was seen before; what is told of
// them comes twice, or after what is newer.
const (
	dropped     way = "dropped: the call was carried out, and its answer is lost"
	slow        way = "delayed: the answer comes after 20 minutes"
	travelled   way = "time-travelled: the answer is what stood before, and a newer one was seen"
	doubled     way = "doubled: the report comes twice"
	overtaken   way = "overtaken: the report comes after newer ones, 20 minutes late"
	lateness        = 20 * time.Minute
	oneInSoMany     = 7 // observations that are tampered with, where not every one is
)

var ways = []way{dropped, slow, travelled, doubled, overtaken}

// ofReports says whether reports go wrong that way, and not answers.
func (w way) ofReports() bool { return w == doubled || w == overtaken }

// tamper lets one observation of a life go wrong.
type tamper struct {
	way     way
	at      int // the observation; 0: none, they are only counted
	answers int // that came so far
	reports int
	did     bool
	past    map[string][]any // answers by what was asked, each that differs from the one before
	late    *core.Request    // a report that is under way
	due     fleet.Instant    // when it comes
}

// observed is a call of the outside, whose answer may go wrong.
func observed[T any](p *process, asked string, call func() (T, error)) (out T, err error) {
	if out, err = around(p, call); err != nil || p.tamper == nil {
		return out, err
	}
	t := p.tamper
	t.answers++
	old := t.past[asked]
	if !t.way.ofReports() && t.answers == t.at {
		switch t.way {
		case dropped:
			t.did = true
			var none T
			return none, errors.New("the answer was lost")
		case slow:
			t.did, p.now = true, p.now.Add(lateness)
		case travelled:
			if was, is := before(old, out); is {
				t.did = true
				return was, nil
			}
		}
	}
	if len(old) == 0 || !reflect.DeepEqual(old[len(old)-1], any(out)) {
		t.past[asked] = append(old, out)
	}
	return out, nil
}

// before is the answer that stood before the one that was seen last.
func before[T any](seen []any, now T) (was T, is bool) {
	if len(seen) > 0 && !reflect.DeepEqual(seen[len(seen)-1], any(now)) {
		seen = append(seen[:len(seen):len(seen)], now) // what it hides had not been seen yet: older than that
	}
	if len(seen) < 2 {
		return was, false
	}
	return seen[len(seen)-2].(T), true
}

// tell gives the engine a report, which may go wrong. Nil lets all pass.
func (t *tamper) tell(ctx context.Context, p *process, r core.Request) error {
	do := func(r core.Request) error { _, err := p.engine.Do(ctx, r); return err }
	if t == nil {
		return do(r)
	}
	t.reports++
	if t.late != nil && t.due <= p.now { // after the newer one
		late := *t.late
		t.late = nil
		return errors.Join(do(r), harmless(do(late)))
	}
	if t.way.ofReports() && t.reports == t.at {
		t.did = true
		if t.way == doubled {
			return errors.Join(do(r), harmless(do(r)))
		}
		t.late, t.due = &r, p.now.Add(lateness)
		return nil
	}
	return do(r)
}

// harmless lets pass that a report which is not new is refused.
func harmless(err error) error {
	var no *core.Refusal
	if errors.As(err, &no) {
		return nil
	}
	return err
}

// tampered is a whole life in which one observation goes wrong.
func tampered(t *testing.T, how way, at int) (outcome, *tamper) {
	t.Helper()
	p := start(t)
	p.tamper = &tamper{way: how, at: at, past: map[string][]any{}}
	p.plan(t, "lynx", fleet.CheckinGit)
	return p.whole(t), p.tamper
}

// hiding is a world that does not show an operation until a moment.
type hiding struct {
	*simulated.World
	p     *process
	until fleet.Instant
}

func (h *hiding) Find(ctx context.Context, o provision.Order) (provision.Report, bool, error) {
	is, found, err := h.World.Find(ctx, o)
	return is, found && (o.Step != fleet.StepPipeline || h.p.now >= h.until), err
}

// An operation that has begun, and that the outside does not show for a while, is not begun again.
// One that stays away is gone, as when a person has removed it, and is begun anew.
func TestWhatHasBegunIsNotBegunAgainAtOnce(t *testing.T) {
	for away, begun := range map[time.Duration]int{provision.GoneAfter: 1, 2 * provision.GoneAfter: 2} {
		p := start(t)
		p.plan(t, "lynx", fleet.CheckinInventory)
		p.world.Fault("lynx", fleet.StepPipeline, simulated.Fault{Outcome: simulated.Blocked, Times: 1}) // it goes on until a person comes
		p.live(t, p.now.Add(time.Minute))
		h := &hiding{World: p.world, p: p, until: p.now.Add(away)}
		p.runner = provision.New(provision.Options{
			Read: p.engine.Read, Providers: map[string]provision.Outside{"simulated": h}, Clouds: map[string]provision.Cloud{"simulated": p.world},
			Do: func(ctx context.Context, r core.Request) error { _, err := p.engine.Do(ctx, r); return err },
		})
		p.live(t, p.now.Add(30*time.Minute))
		if n := p.world.Begun()["lynx.pipeline.g1.1"]; n != begun {
			t.Errorf("away for %s, it was begun %d times, and %d is right", away, n, begun)
		}
	}
}

// Each observation of a cluster's life is dropped, doubled, delayed, overtaken by newer ones, or as
// old as one before it. The life ends in the same world: nothing is begun twice, no cores are lost,
// and no person has to come.
func TestEveryObservationGoesWrong(t *testing.T) {
	want, counted := tampered(t, dropped, 0)
	if want.Installed != 32 || !want.Retired || want.Used != 0 || len(want.Begun) != 7 {
		t.Fatalf("the life in which nothing goes wrong ends in %+v", want)
	}
	for _, how := range ways {
		all, tried := counted.answers, 0
		if how.ofReports() {
			all = counted.reports
		}
		for at := 1; at <= all; at++ {
			if !*everyFlag && at%oneInSoMany != all%oneInSoMany {
				continue
			}
			got, is := tampered(t, how, at)
			if is.did {
				tried++
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("observation %d of %d is %s\n got %+v\nwant %+v", at, all, how, got, want)
				break
			}
		}
		t.Logf("%d of %d observations were %s", tried, all, how)
		if tried == 0 {
			t.Errorf("none was %s: the test shows nothing", how)
		}
	}
}
