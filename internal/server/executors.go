package server

import (
	"context"
	"fmt"

	"github.com/muster-fleet/muster/internal/clusters/kube"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/executor"
	"github.com/muster-fleet/muster/internal/run/executor/azure"
	hands "github.com/muster-fleet/muster/internal/run/executor/simulated"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// spreadOfWork is how far simulated updates take more or less than they say.
const spreadOfWork fleet.Permille = 100

// carryOut has the visits of nodes carried out until ctx ends.
func (s *server) carryOut(ctx context.Context) error {
	all, err := s.executors()
	if err != nil {
		return err
	}
	runner := executor.New(executor.Options{
		Read: s.engine.Read, Log: s.log, Executors: all,
		Do: func(ctx context.Context, r core.Request) error { _, err := s.engine.Do(ctx, r); return err },
	})
	return takeTurns(ctx, runner, func() {})
}

// executors are those that this server has, by the names that updates call them.
func (s *server) executors() (map[string]executor.Executor, error) {
	jobs := kube.VisitJobs{Reach: s.reach}
	all := map[string]executor.Executor{
		fleet.BySimulated: hands.New(hands.Options{Now: wallClock{}.Now, Spread: spreadOfWork}), fleet.ByJob: jobs,
	}
	if s.Outside.Azure {
		who, err := s.Outside.identity()
		if err != nil {
			return nil, err
		}
		all[fleet.ByProvider] = azure.Provider{Machine: jobs.ProviderID, Who: who}
	}
	return all, nil
}

// reach is the client of a cluster that this server manages, by a kubeconfig or an agent.
func (s *server) reach(cluster string) (*kube.Client, error) {
	switch is := s.backend.reconcilers.(type) {
	case *singleCluster:
		if s.Join.Manage && s.Join.Name == cluster {
			return is.client, nil
		}
	case *multiCluster:
		return is.managed(cluster)
	}
	return nil, notManaged(cluster)
}

// notManaged says that there is no cluster to work on.
func notManaged(cluster string) error {
	return &executor.Refused{Err: fmt.Errorf("this server does not manage cluster %s: join it with --manage, by a kubeconfig or an agent", cluster)}
}

// managed is the client of a cluster that is managed. One whose agent is away may be reached again.
func (c *multiCluster) managed(cluster string) (*kube.Client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch is := c.kept[cluster]; {
	case is == nil:
		return nil, fmt.Errorf("cluster %s is not reached: no agent of it is connected", cluster)
	case !is.join.Manage:
		return nil, notManaged(cluster)
	default:
		return is.client, nil
	}
}
