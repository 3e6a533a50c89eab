package provision

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// account is a cloud account that is counted, with what the state says of it.
type account struct {
	provider, subscription, region string
	known                          []fleet.CloudCount
	failing                        bool // it could not be read the last time
	settling                       bool // a reservation ends with the next count
	read                           fleet.Instant
	meters                         []string // that blueprints need there
}

func (a *account) name() string { return a.subscription + "/" + a.region }

func accountOf(s *fleet.State, l *fleet.Life) account {
	a := account{provider: l.Record.Provider, subscription: l.Record.Subscription, region: l.Record.Region}
	if is := s.CloudAccount(a.name()); is != nil {
		a.known, a.failing, a.read = slices.Clone(is.Counts), is.Error != "", is.Read
	}
	for _, x := range s.LivesOf(a.name()) {
		if b := s.BlueprintOf(x); b != nil {
			for _, m := range b.Meters {
				a.meters = append(a.meters, m.Meter)
			}
		}
		made := x.Step(fleet.StepScaleSets).Operation
		a.settling = a.settling || len(x.Reserved) > 0 && made.State == fleet.OperationSucceeded && a.read <= made.Ended
	}
	slices.Sort(a.meters)
	a.meters = slices.Compact(a.meters)
	return a
}

// asksMore says whether a blueprint needs a meter there that was not asked for yet.
func (r *Runner) asksMore(a account) bool {
	return slices.ContainsFunc(a.meters, func(m string) bool { return !slices.Contains(r.asked[a.name()], m) })
}

// countDue is when an account is counted next: at once where it is asked for more, unless it could
// not be read and a pause is to be kept.
func (r *Runner) countDue(a account) fleet.Instant {
	if !a.failing && r.asksMore(a) {
		return 0
	}
	return r.reads[a.name()]
}

// count reads the cloud's quota, and reports what is not as it was.
func (r *Runner) count(ctx context.Context, a account, now fleet.Instant) error {
	more := r.asksMore(a)
	r.reads[a.name()], r.asked[a.name()] = now.Add(CountEvery), a.meters
	cloud := r.o.Clouds[a.provider]
	if cloud == nil {
		return r.uncounted(ctx, a)
	}
	limited, end := context.WithTimeout(ctx, CallLimit)
	counts, err := cloud.Counts(limited, a.subscription, a.region)
	end()
	c := core.ReportCounts{Subscription: a.subscription, Region: a.region, Counts: counts}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var no *Refused
		if errors.As(err, &no) { // the cloud may say when it wants to be asked again
			c.Class = no.Class
			r.reads[a.name()] = now.Add(max(CountEvery, min(no.After, LongestHint)))
		}
		c.Counts, c.Error = nil, r.o.Mask(err.Error())
		return r.tell(ctx, c)
	}
	counts = slices.DeleteFunc(counts, func(x fleet.CloudCount) bool { return !slices.Contains(a.meters, x.Meter) })
	c.Counts = counts
	slices.SortFunc(counts, func(x, y fleet.CloudCount) int { return strings.Compare(x.Meter, y.Meter) })
	if !a.failing && !more && a.read != 0 && slices.Equal(counts, a.known) && !a.settling {
		if a.read.Add(LookEvery) <= now {
			r.beat.count(a.name(), now)
		}
		return nil
	}
	return r.tell(ctx, c)
}

// uncounted says of an account that this server cannot count what a person may do about it.
// Those of the provider hand have no cloud: a person says that their cores are there.
func (r *Runner) uncounted(ctx context.Context, a account) error {
	if a.provider == fleet.ProviderHand || a.failing {
		return nil
	}
	return r.tell(ctx, core.ReportCounts{
		Subscription: a.subscription, Region: a.region, Class: fleet.ErrorFix,
		Error: "this server does not count quota of provider " + a.provider + "; start it with --" + a.provider + ", or say of each cluster that its cores are there: `muster cluster quota CLUSTER`",
	})
}
