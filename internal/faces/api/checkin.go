package api

import (
	"context"
	"fmt"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// checkin is the word of a person that a cluster is checked in. Where this server knows the branch that counts, the word is
// not believed: the record has to stand there as it is wanted (cluster-life.md §2.3). Nothing is asked of the repository for
// one who may not say so.
func (s buildoutService) checkin(ctx context.Context, m *musterv1.SteerClusterRequest) (core.Command, error) {
	c := core.CheckIn{Cluster: m.GetCluster(), Commit: m.GetWith()}
	if s.checkedIn == nil || m.GetWrite().GetDryRun() {
		return c, nil
	}
	if _, err := s.engine.DryRun(ctx, request(ctx, m, c)); err != nil {
		return c, err
	}
	var record fleet.ClusterRecord
	if _, err := s.read(ctx, nil, func(state *fleet.State, _ fleet.Instant) error {
		record = state.Life(m.GetCluster()).Record
		return nil
	}); err != nil {
		return c, err
	}
	commit, err := s.checkedIn(ctx, record)
	switch {
	case err != nil:
		return c, &core.Refusal{Code: core.WrongState, Message: fmt.Sprintf("cluster %s: the branch cannot be looked at now (%v); try again", record.Name, err)}
	case commit == "":
		return c, &core.Refusal{Code: core.WrongState, Message: fmt.Sprintf("cluster %s does not stand on the branch as its record is; `muster cluster checkin %[1]s --dry-run` shows the files that belong there", record.Name)}
	}
	c.Commit = commit
	return c, nil
}
