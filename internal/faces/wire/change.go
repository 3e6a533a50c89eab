package wire

import (
	"fmt"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
)

// Change is a command as a change of an Apply: the way back from Batch. It knows the
// commands that a fleet file leads to, and fails on others.
func Change(command core.Command) (*musterv1.Change, error) {
	switch c := command.(type) {
	case core.SetPolicy:
		return &musterv1.Change{Change: &musterv1.Change_SetPolicy{SetPolicy: &musterv1.SetPolicyRequest{Policy: Policy(c.Policy)}}}, nil
	case core.SetHealthPolicy:
		return &musterv1.Change{Change: &musterv1.Change_SetHealthPolicy{SetHealthPolicy: &musterv1.SetHealthPolicyRequest{Policy: HealthPolicy(c.Policy)}}}, nil
	case core.SetBuffer:
		return &musterv1.Change{Change: &musterv1.Change_SetBuffer{SetBuffer: &musterv1.SetBufferRequest{Scope: c.Scope, Buffer: Buffer(c.Buffer)}}}, nil
	case core.AddCluster:
		return &musterv1.Change{Change: &musterv1.Change_AddCluster{AddCluster: &musterv1.AddClusterRequest{Name: c.Name, Mode: string(c.Mode)}}}, nil
	case core.SetTargets:
		return &musterv1.Change{Change: &musterv1.Change_SetTargets{SetTargets: &musterv1.SetTargetsRequest{Cluster: c.Cluster, Targets: Targets(c.Targets)}}}, nil
	case core.AddPartition:
		return &musterv1.Change{Change: &musterv1.Change_AddPartition{AddPartition: &musterv1.AddPartitionRequest{
			Cluster: c.Cluster, Gpu: c.GPU, GpusPerNode: int32(c.GPUsPerNode),
		}}}, nil
	case core.AddIslands:
		return &musterv1.Change{Change: &musterv1.Change_AddIslands{AddIslands: addIslands(c)}}, nil
	case core.CreateQuota:
		return &musterv1.Change{Change: &musterv1.Change_CreateQuota{CreateQuota: &musterv1.CreateQuotaRequest{Path: c.Path, Access: Access(c.Access), Owner: c.Owner}}}, nil
	case core.SetOwner:
		return &musterv1.Change{Change: &musterv1.Change_SetOwner{SetOwner: &musterv1.SetOwnerRequest{Path: c.Path, Owner: c.Owner}}}, nil
	case core.SetAccess:
		return &musterv1.Change{Change: &musterv1.Change_SetAccess{SetAccess: &musterv1.SetAccessRequest{Path: c.Path, Access: Access(c.Access)}}}, nil
	case core.SetGrant:
		gang := int32(c.Gang)
		return &musterv1.Change{Change: &musterv1.Change_SetGrant{SetGrant: &musterv1.SetGrantRequest{
			Quota: c.Quota, Partition: c.Partition, Gpus: int32(c.GPUs), Gang: &gang, Overcommit: c.Overcommit, AsFound: c.AsFound, Until: Instant(c.Until), None: c.None,
		}}}, nil
	}
	return nil, fmt.Errorf("a %T cannot be sent as a change of an Apply; this is a mistake of Muster's", command)
}

func addIslands(c core.AddIslands) *musterv1.AddIslandsRequest {
	m := &musterv1.AddIslandsRequest{Partition: c.Partition}
	for _, i := range c.Islands {
		m.Islands = append(m.Islands, &musterv1.NewIsland{Name: i.Name, Nodes: int32(i.Nodes), Names: i.Names, Racks: int32(i.Racks)})
	}
	return m
}
