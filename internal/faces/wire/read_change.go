package wire

import (
	"cmp"
	"fmt"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Batch turns the changes of an Apply into commands. A policy lies over the one
// before it in the batch, or over the one in force.
type Batch struct {
	Policy fleet.Policy
	Health fleet.HealthPolicy
}

// Commands are the changes in order; a Mistake names the change it stands in.
func (b *Batch) Commands(changes []*musterv1.Change) (core.Batch, error) {
	out := core.Batch{Commands: make([]core.Command, len(changes))}
	for i, change := range changes {
		c, err := b.command(change)
		if err != nil {
			return core.Batch{}, inside(fmt.Sprintf("changes[%d]", i), err)
		}
		out.Commands[i] = c
	}
	return out, nil
}

func (b *Batch) command(change *musterv1.Change) (core.Command, error) {
	switch m := change.GetChange().(type) {
	case *musterv1.Change_AddCluster:
		return ReadAddCluster(m.AddCluster), alone(m.AddCluster)
	case *musterv1.Change_AddPartition:
		return ReadAddPartition(m.AddPartition), alone(m.AddPartition)
	case *musterv1.Change_AddIslands:
		return ReadAddIslands(m.AddIslands), alone(m.AddIslands)
	case *musterv1.Change_SetPolicy:
		return b.setPolicy(m.SetPolicy)
	case *musterv1.Change_SetBuffer:
		c, err := ReadSetBuffer(m.SetBuffer)
		return c, cmp.Or(err, alone(m.SetBuffer))
	case *musterv1.Change_SetTargets:
		c, err := ReadSetTargets(m.SetTargets)
		return c, cmp.Or(err, alone(m.SetTargets))
	case *musterv1.Change_SetNodes:
		c, err := ReadSetNodes(m.SetNodes)
		return c, cmp.Or(err, alone(m.SetNodes))
	case *musterv1.Change_SetHealthPolicy:
		return b.setHealthPolicy(m.SetHealthPolicy)
	case *musterv1.Change_OpenIncident:
		return ReadOpenIncident(m.OpenIncident), alone(m.OpenIncident)
	case *musterv1.Change_CloseIncident:
		return core.CloseIncident{Name: m.CloseIncident.GetName()}, alone(m.CloseIncident)
	}
	return quotaCommand(change)
}

func (b *Batch) setPolicy(m *musterv1.SetPolicyRequest) (core.Command, error) {
	c, err := ReadSetPolicy(b.Policy, m)
	b.Policy = c.Policy
	return c, cmp.Or(err, alone(m))
}

func (b *Batch) setHealthPolicy(m *musterv1.SetHealthPolicyRequest) (core.Command, error) {
	c, err := ReadSetHealthPolicy(b.Health, m)
	b.Health = c.Policy
	return c, cmp.Or(err, alone(m))
}

func quotaCommand(change *musterv1.Change) (core.Command, error) {
	switch m := change.GetChange().(type) {
	case *musterv1.Change_CreateQuota:
		return ReadCreateQuota(m.CreateQuota), alone(m.CreateQuota)
	case *musterv1.Change_DeleteQuota:
		return core.DeleteQuota{Path: m.DeleteQuota.GetPath()}, alone(m.DeleteQuota)
	case *musterv1.Change_SetOwner:
		return ReadSetOwner(m.SetOwner), alone(m.SetOwner)
	case *musterv1.Change_SetAccess:
		return ReadSetAccess(m.SetAccess), alone(m.SetAccess)
	case *musterv1.Change_SetGrant:
		c, err := ReadSetGrant(m.SetGrant)
		if err == nil {
			err = alone(m.SetGrant)
		}
		return c, err
	case *musterv1.Change_Transfer:
		return ReadTransfer(m.Transfer), alone(m.Transfer)
	case *musterv1.Change_PlaceHold:
		c, err := ReadPlaceHold(m.PlaceHold)
		return c, cmp.Or(err, alone(m.PlaceHold))
	case *musterv1.Change_ReleaseHold:
		return core.ReleaseHold{ID: m.ReleaseHold.GetId()}, alone(m.ReleaseHold)
	}
	return nil, Wrong("change", "says nothing; give it one of add_cluster, add_partition, add_islands, set_policy, set_grant and so on")
}

// alone checks that a change of a batch has no write of its own.
func alone(m interface{ GetWrite() *musterv1.Write }) error {
	if m.GetWrite() != nil {
		return Wrong("write", "counts for the whole batch; leave it out here")
	}
	return nil
}
