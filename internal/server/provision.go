package server

import (
	"context"
	"maps"

	"github.com/muster-fleet/muster/internal/clusters/kube"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/journal/postgres"
	"github.com/muster-fleet/muster/internal/run/provision"
	outside "github.com/muster-fleet/muster/internal/run/provision/simulated"
	"github.com/muster-fleet/muster/internal/run/provision/tofu"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// roomy is what the simulated cloud grants of every meter that a blueprint names.
const roomy = 100_000

// buildOut builds clusters until ctx ends. Clusters of the provider simulated are made by
// a simulated cloud in this process, which takes as long as the blueprint says; those of
// the others by the adapters that are set up.
func (s *server) buildOut(ctx context.Context) error {
	world := outside.New(wallClock{}.Now)
	adapters, mask, err := s.Outside.adapters()
	if err != nil {
		return err
	}
	clouds, err := s.Outside.clouds()
	if err != nil {
		return err
	}
	clouds["simulated"] = world
	projects, err := s.Outside.Tofu.open(s.folder.Path, postgres.Is(s.Journal))
	if err != nil {
		return err
	}
	if projects != nil {
		defer projects.Close()
	}
	azure, err := s.azureSteps(adapters, projects)
	if err != nil {
		return err
	}
	metered, err := s.Outside.metered(runners(projects, azure))
	if err != nil {
		return err
	}
	runner := provision.New(provision.Options{
		Read: s.engine.Read, Log: s.log,
		Do: func(ctx context.Context, r core.Request) error { _, err := s.engine.Do(ctx, r); return err },
		Providers: map[string]provision.Outside{
			"simulated": runners(projects, world), "azure": metered, fleet.ProviderHand: runners(projects, provision.WithHands(adapters)),
		},
		Clouds: clouds, Mask: mask,
	})
	s.builder.Store(runner)
	defer s.builder.Store(nil)
	return takeTurns(ctx, runner, func() { s.engine.Read(func(st *fleet.State) { grantAll(st, world) }) })
}

// azureSteps are the adapters of clusters of Azure: those that are handed in, and those that need
// this server's clusters, its state, or what runs projects.
func (s *server) azureSteps(adapters provision.BySteps, projects *tofu.Runner) (provision.BySteps, error) {
	sets, err := s.Outside.ScaleSets.open(s.drives)
	if err != nil {
		return nil, err
	}
	by := s.withBuilding(adapters)
	if sets != nil {
		by[fleet.StepScaleSets], by[fleet.StepTeardown] = sets, sets
	}
	s.withDependents(by, projects)
	return by, nil
}

// withBuilding adds to adapters what clusters say of themselves, where this server has real ones.
func (s *server) withBuilding(by provision.BySteps) provision.BySteps {
	all := maps.Clone(by)
	if _, ok := s.backend.reconcilers.(*multiCluster); ok {
		building := &kube.Building{Reach: s.reachBuilt} // one: a look asks it once for all its steps
		for _, step := range kube.BuildingSteps() {
			all[step] = building
		}
	}
	return all
}

// withDependents adds to adapters what says whether the projects of other clusters know one.
func (s *server) withDependents(by provision.BySteps, projects *tofu.Runner) {
	know := map[string]provision.Knower{}
	if projects != nil {
		know[tofu.Word] = projects
	}
	by[fleet.StepDependencies] = provision.Dependents{Read: s.engine.Read, Runners: know}
}

// reachBuilt is the client of a cluster that is built, by a kubeconfig or its agent; nil: it has
// not joined, or is not to be managed.
func (s *server) reachBuilt(cluster string) *kube.Client {
	if c, err := s.reach(cluster); err == nil {
		return c
	}
	if is, several := s.backend.reconcilers.(*multiCluster); several {
		return is.byAgent(cluster)
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
