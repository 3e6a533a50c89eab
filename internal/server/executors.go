package server

import (
	"context"

	"github.com/muster-fleet/muster/internal/clusters/kube"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/executor"
	hands "github.com/muster-fleet/muster/internal/run/executor/simulated"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// spreadOfWork is how far simulated updates take more or less than they say.
const spreadOfWork fleet.Permille = 100

// carryOut has the visits of nodes carried out until ctx ends.
func (s *server) carryOut(ctx context.Context) error {
	runner := executor.New(executor.Options{
		Read: s.engine.Read, Log: s.log,
		Do: func(ctx context.Context, r core.Request) error { _, err := s.engine.Do(ctx, r); return err },
		Executors: map[string]executor.Executor{
			fleet.BySimulated: hands.New(hands.Options{Now: wallClock{}.Now, Spread: spreadOfWork}),
			fleet.ByJob:       kube.VisitJobs{Reach: s.reach},
		},
	})
	return takeTurns(ctx, runner, func() {})
}

// reach is the client of a cluster that this server reaches by itself and manages; nil: it
// does not. An agent lets no Job be made.
func (s *server) reach(cluster string) *kube.Client {
	switch is := s.cluster.real.(type) {
	case *joined:
		if s.Join.Manage && s.Join.Name == cluster {
			return is.client
		}
	case *clusters:
		for _, join := range s.Clusters {
			if join.Manage && join.Name == cluster {
				return is.own[cluster]
			}
		}
	}
	return nil
}
