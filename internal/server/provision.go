package server

import (
	"context"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/driver/simulated"
	"github.com/muster-fleet/muster/internal/run/journal/postgres"
	"github.com/muster-fleet/muster/internal/run/provision"
	outside "github.com/muster-fleet/muster/internal/run/provision/simulated"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Pauses between two turns of building: the longest, so that what people do is seen soon,
// and the shortest, so that it never runs in circles.
const (
	longestTurn  = 2 * time.Second
	shortestTurn = 100 * time.Millisecond
)

// pause rests until the next turn is due, or ctx ends.
func pause(ctx context.Context, due time.Duration) {
	rest(ctx, min(longestTurn, max(shortestTurn, due)))
}

// roomy is what the simulated cloud grants of every meter that a blueprint names.
const roomy = 100_000

// buildOut builds clusters until ctx ends. Clusters of the provider simulated are made by
// a simulated cloud in this process, which takes as long as the blueprint says; those of
// the others by the adapters that are set up.
func (s *server) buildOut(ctx context.Context) error {
	clock := simulated.RealTime{}
	world := outside.New(clock.Now)
	adapters, mask, err := s.Outside.adapters()
	if err != nil {
		return err
	}
	clouds, err := s.Outside.clouds()
	if err != nil {
		return err
	}
	clouds["simulated"] = world
	projects, err := s.Outside.Tofu.open(s.folder.path, postgres.Is(s.Journal))
	if err != nil {
		return err
	}
	if projects != nil {
		defer projects.Close()
	}
	outside := runners(projects, adapters)
	runner := provision.New(provision.Options{
		Read: s.engine.Read, Log: s.log,
		Do:        func(ctx context.Context, r core.Request) error { _, err := s.engine.Do(ctx, r); return err },
		Providers: map[string]provision.Outside{"simulated": runners(projects, world), "azure": outside, "hand": outside}, Clouds: clouds,
		Mask: mask,
	})
	for ctx.Err() == nil {
		s.engine.Read(func(st *fleet.State) { grantAll(st, world) })
		if now := clock.Now(); runner.Due() <= now {
			if err := runner.Turn(ctx, now); err != nil && ctx.Err() == nil {
				return err
			}
		}
		pause(ctx, runner.Due().Sub(clock.Now()))
	}
	return nil
}

// grantAll lets the simulated cloud have every meter that is needed there. What stood
// before a restart counts as used by others.
func grantAll(s *fleet.State, world *outside.World) {
	for _, l := range s.Lives {
		b := s.BlueprintOf(l)
		if b == nil || l.Record.Provider != "simulated" {
			continue
		}
		for _, m := range b.Meters {
			world.Grant(l.Record.Subscription, l.Record.Region, m.Meter, roomy)
		}
		world.Restore(l, b)
	}
}
