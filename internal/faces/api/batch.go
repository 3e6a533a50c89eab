package api

import (
	"cmp"
	"fmt"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// batch turns the changes of an Apply into commands. A policy lies over the one
// before it in the batch, or over the one in force.
type batch struct {
	policy fleet.Policy
	health fleet.HealthPolicy
}

func (b *batch) commands(changes []*musterv1.Change) (core.Batch, error) {
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

func (b *batch) command(change *musterv1.Change) (core.Command, error) {
	switch m := change.GetChange().(type) {
	case *musterv1.Change_AddCluster:
		return addCluster(m.AddCluster), alone(m.AddCluster)
	case *musterv1.Change_AddPartition:
		return addPartition(m.AddPartition), alone(m.AddPartition)
	case *musterv1.Change_AddIslands:
		return addIslands(m.AddIslands), alone(m.AddIslands)
	case *musterv1.Change_SetPolicy:
		return b.setPolicy(m.SetPolicy)
	case *musterv1.Change_SetBuffer:
		c, err := setBuffer(m.SetBuffer)
		return c, cmp.Or(err, alone(m.SetBuffer))
	case *musterv1.Change_SetTargets:
		c, err := setClusterTargets(m.SetTargets)
		return c, cmp.Or(err, alone(m.SetTargets))
	case *musterv1.Change_SetNodes:
		c, err := setNodes(m.SetNodes)
		return c, cmp.Or(err, alone(m.SetNodes))
	case *musterv1.Change_SetHealthPolicy:
		return b.setHealthPolicy(m.SetHealthPolicy)
	case *musterv1.Change_OpenIncident:
		return openIncident(m.OpenIncident), alone(m.OpenIncident)
	case *musterv1.Change_CloseIncident:
		return core.CloseIncident{Name: m.CloseIncident.GetName()}, alone(m.CloseIncident)
	}
	return quotaCommand(change)
}

func quotaCommand(change *musterv1.Change) (core.Command, error) {
	switch m := change.GetChange().(type) {
	case *musterv1.Change_CreateQuota:
		return createQuota(m.CreateQuota), alone(m.CreateQuota)
	case *musterv1.Change_DeleteQuota:
		return core.DeleteQuota{Path: m.DeleteQuota.GetPath()}, alone(m.DeleteQuota)
	case *musterv1.Change_SetOwner:
		return setOwner(m.SetOwner), alone(m.SetOwner)
	case *musterv1.Change_SetAccess:
		return setAccess(m.SetAccess), alone(m.SetAccess)
	case *musterv1.Change_SetGrant:
		return setGrant(m.SetGrant), alone(m.SetGrant)
	case *musterv1.Change_Transfer:
		return transfer(m.Transfer), alone(m.Transfer)
	case *musterv1.Change_PlaceHold:
		c, err := placeHold(m.PlaceHold)
		return c, cmp.Or(err, alone(m.PlaceHold))
	case *musterv1.Change_ReleaseHold:
		return core.ReleaseHold{ID: m.ReleaseHold.GetId()}, alone(m.ReleaseHold)
	}
	return nil, wrong("change", "says nothing; give it one of add_cluster, add_partition, add_islands, set_policy, set_grant and so on")
}

func (b *batch) setPolicy(m *musterv1.SetPolicyRequest) (core.Command, error) {
	c, err := setPolicy(b.policy, m)
	b.policy = c.Policy
	return c, cmp.Or(err, alone(m))
}

func (b *batch) setHealthPolicy(m *musterv1.SetHealthPolicyRequest) (core.Command, error) {
	c, err := setHealthPolicy(b.health, m)
	b.health = c.Policy
	return c, cmp.Or(err, alone(m))
}

// alone checks that a change of a batch has no write of its own.
func alone(m writeMessage) error {
	if m.GetWrite() != nil {
		return wrong("write", "counts for the whole batch; leave it out here")
	}
	return nil
}

// inside says that a mistake stands inside a larger place.
func inside(place string, err error) error {
	if m, ok := err.(*mistake); ok { //nolint:errorlint // it is made in this room and wrapped by nobody
		return &mistake{place + "." + m.field, m.message}
	}
	return err
}
