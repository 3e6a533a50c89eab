package api

import (
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file turns messages about quota into commands.

func createQuota(m *musterv1.CreateQuotaRequest) core.Command {
	return core.CreateQuota{Path: m.GetPath(), Access: access(m.GetAccess()), Owner: m.GetOwner()}
}

func setOwner(m *musterv1.SetOwnerRequest) core.Command {
	return core.SetOwner{Path: m.GetPath(), Owner: m.GetOwner()}
}

func setAccess(m *musterv1.SetAccessRequest) core.Command {
	return core.SetAccess{Path: m.GetPath(), Access: access(m.GetAccess())}
}

func access(a *musterv1.Access) fleet.Access {
	return fleet.Access{Users: a.GetUsers(), Groups: a.GetGroups(), Namespaces: a.GetNamespaces()}
}

func setGrant(m *musterv1.SetGrantRequest) core.Command {
	return core.SetGrant{
		Quota: m.GetQuota(), Partition: m.GetPartition(),
		GPUs: int(m.GetGpus()), Gang: int(m.GetGang()), KeepGang: m.Gang == nil,
		Overcommit: m.GetOvercommit(),
	}
}

func transfer(m *musterv1.TransferRequest) core.Command {
	return core.Transfer{From: m.GetFrom(), To: m.GetTo(), Partition: m.GetPartition(), GPUs: int(m.GetGpus())}
}

func placeHold(m *musterv1.PlaceHoldRequest) (core.Command, error) {
	until, err := instant("until", m.GetUntil())
	return core.PlaceHold{Quota: m.GetQuota(), Partition: m.GetPartition(), GPUs: int(m.GetGpus()), Until: until, User: m.GetUser(), Namespace: m.GetNamespace()}, err
}
