package provision

import (
	"context"
	"slices"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// beat gathers what was looked at and is as it was, to be confirmed together: one record
// for all clusters, and not one for each look.
type beat struct {
	due   fleet.Instant // 0: it was never sent
	first fleet.Instant // when the first of what it holds was looked at
	is    core.ConfirmOutside
}

func (b *beat) empty() bool { return len(b.is.Clusters)+len(b.is.Steps)+len(b.is.Accounts) == 0 }

// see keeps that these steps of a cluster are as the state says.
func (b *beat) see(s subject, steps []fleet.Step, now fleet.Instant) {
	name := s.Record.Name
	b.drop(name)
	switch {
	case len(steps) == 0:
		return
	case s.covers(steps):
		b.is.Clusters = append(b.is.Clusters, name)
	default:
		b.is.Steps = append(b.is.Steps, fleet.SeenAgain{Cluster: name, Steps: steps})
	}
	b.begin(now)
}

// count keeps that a cloud account is as the state says.
func (b *beat) count(name string, now fleet.Instant) {
	if !slices.Contains(b.is.Accounts, name) {
		b.is.Accounts = append(b.is.Accounts, name)
		b.begin(now)
	}
}

// drop forgets what an earlier look at a cluster saw: a newer one says it, or it changed.
func (b *beat) drop(cluster string) {
	b.is.Clusters = slices.DeleteFunc(b.is.Clusters, func(x string) bool { return x == cluster })
	b.is.Steps = slices.DeleteFunc(b.is.Steps, func(x fleet.SeenAgain) bool { return x.Cluster == cluster })
}

func (b *beat) begin(now fleet.Instant) {
	if b.first == 0 {
		b.first = now
	}
}

// confirm says once in a while, in one command, what is as it was.
func (r *Runner) confirm(ctx context.Context, now fleet.Instant) error {
	b := &r.beat
	if b.due > now || b.empty() {
		return nil
	}
	c := b.is
	c.At = b.first
	*b = beat{due: now.Add(BeatEvery)}
	return r.tell(ctx, c)
}
