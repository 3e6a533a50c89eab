package server

import (
	"context"
	"slices"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// guarded is the engine as the API of a server asks for it. It refuses two commands that this
// server could not carry out. One sets a cluster to mode enforce that the server only watches:
// nothing could be started there, and work would wait for ever. The other submits a workload
// to clusters with a reconciler: no pod is made for it, so it would hold GPUs and never run.
type guarded struct {
	decider
	only           func(cluster string) (how string) // how a cluster was joined that is watched only; "": it is not
	hasReconcilers bool                              // reconcilers carry decisions out, and no driver
}

// Do has a request done that may be.
func (g guarded) Do(ctx context.Context, r core.Request) (api.Result, error) {
	if err := g.bars(r.Command); err != nil {
		return api.Result{}, err
	}
	return g.decider.Do(ctx, r)
}

// DryRun says what a request that may be done would do.
func (g guarded) DryRun(ctx context.Context, r core.Request) (api.Result, error) {
	if err := g.bars(r.Command); err != nil {
		return api.Result{}, err
	}
	return g.decider.DryRun(ctx, r)
}

func (g guarded) bars(c core.Command) error {
	switch c := c.(type) {
	case core.Propose: // as soon as it is proposed: a second person would approve what cannot be
		return g.bars(c.Command)
	case core.AnswerProposal: // proposed by a server that managed the cluster
		if waits := g.waiting(c); waits != nil {
			return g.bars(waits)
		}
	case core.SetMode:
		return g.barsMode(c)
	}
	if g.hasReconcilers && submits(c) {
		return &core.Refusal{Code: core.DecidedElsewhere, Message: "this fleet's clusters run what their own objects ask for, and no pod is made for a workload that is submitted here; " +
			"make a pod, Job or JobSet with kubectl that has the label muster.dev/target (muster fit tells before whether it would start)"}
	}
	return nil
}

func (g guarded) barsMode(c core.SetMode) error {
	if c.Mode != fleet.Enforce {
		return nil
	}
	how := g.only(c.Cluster)
	if how == "" {
		return nil
	}
	return &core.Refusal{Code: core.DecidedElsewhere, Message: "cluster " + c.Cluster + " is watched only: " + how}
}

// waiting is the command that an approval would do; nil: none.
func (g guarded) waiting(c core.AnswerProposal) (waits core.Command) {
	if !c.Approve {
		return nil
	}
	g.Look(func(s *fleet.State) {
		if p := s.Proposal(c.ID); p != nil {
			waits, _ = core.Proposed(p)
		}
	})
	return waits
}

// submits says whether a command, or one of a batch, submits a workload.
func submits(c core.Command) bool {
	switch c := c.(type) {
	case core.Submit:
		return true
	case core.Batch:
		return slices.ContainsFunc(c.Commands, submits)
	}
	return false
}

// watchedOnly says how a cluster was joined that is watched only; "": it is not.
func (s *server) watchedOnly(cluster string) string {
	if s.backend.reconcilers == nil {
		return ""
	}
	return s.backend.reconcilers.WatchedOnly(cluster)
}

func onlyWatch(manage bool, instead string) string {
	if manage {
		return ""
	}
	return "this server may write nothing there that starts or stops work; " + instead
}
