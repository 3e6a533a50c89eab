package wire

import (
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// ReadCreateQuota reads the command that creates a quota.
func ReadCreateQuota(m *musterv1.CreateQuotaRequest) core.Command {
	return core.CreateQuota{Path: m.GetPath(), Access: ReadAccess(m.GetAccess()), Owner: m.GetOwner()}
}

// ReadSetOwner reads the command that names the owner of a quota.
func ReadSetOwner(m *musterv1.SetOwnerRequest) core.Command {
	return core.SetOwner{Path: m.GetPath(), Owner: m.GetOwner()}
}

// ReadSetAccess reads the command that sets who may target a quota.
func ReadSetAccess(m *musterv1.SetAccessRequest) core.Command {
	return core.SetAccess{Path: m.GetPath(), Access: ReadAccess(m.GetAccess())}
}

// ReadAccess reads who may target a quota.
func ReadAccess(a *musterv1.Access) fleet.Access {
	return fleet.Access{Users: a.GetUsers(), Groups: a.GetGroups(), Namespaces: a.GetNamespaces()}
}

// ReadSetGrant reads the command that sets a grant; without a gang in the message the grant keeps its own.
// With an end it sets what ends then.
func ReadSetGrant(m *musterv1.SetGrantRequest) (core.Command, error) {
	c := core.SetGrant{
		Quota: m.GetQuota(), Partition: m.GetPartition(),
		GPUs: int(m.GetGpus()), Gang: int(m.GetGang()), KeepGang: m.Gang == nil,
		Overcommit: m.GetOvercommit(), AsFound: m.GetAsFound(), None: m.GetNone(),
	}
	var err error
	if m.GetUntil() != nil {
		c.Until, err = ReadInstant("until", m.GetUntil())
	}
	return c, err
}

// ReadTransfer reads the command that moves GPUs from one grant to another.
func ReadTransfer(m *musterv1.TransferRequest) core.Command {
	return core.Transfer{From: m.GetFrom(), To: m.GetTo(), Partition: m.GetPartition(), GPUs: int(m.GetGpus())}
}

// ReadPlaceHold reads the command that places a hold.
func ReadPlaceHold(m *musterv1.PlaceHoldRequest) (core.Command, error) {
	until, err := ReadInstant("until", m.GetUntil())
	return core.PlaceHold{Quota: m.GetQuota(), Partition: m.GetPartition(), GPUs: int(m.GetGpus()), Until: until, User: m.GetUser(), Namespace: m.GetNamespace()}, err
}

// ReadAskQuota reads a request for GPUs or for access.
func ReadAskQuota(m *musterv1.AskRequest) (core.Command, error) {
	access := m.GetAccess()
	people := len(access.GetUsers()) + len(access.GetGroups()) + len(access.GetNamespaces())
	switch {
	case m.GetGpus() != 0 && people > 0:
		return nil, Wrong("access", "a request is for GPUs or for access, not for both")
	case m.GetUntil() != nil && people > 0:
		return nil, Wrong("until", "access has no end; leave it out")
	case people > 0:
		return core.RequestAccess{Quota: m.GetQuota(), Access: ReadAccess(access)}, nil
	}
	asks := core.RequestQuota{Quota: m.GetQuota(), Partition: m.GetPartition(), GPUs: int(m.GetGpus())}
	if m.GetUntil() == nil {
		return asks, nil
	}
	var err error
	asks.Until, err = ReadInstant("until", m.GetUntil())
	return asks, err
}

// ReadSubscription reads the command that sets a subscription.
func ReadSubscription(m *musterv1.Subscription) core.Command {
	sub := fleet.Subscription{Name: m.GetName(), URL: m.GetUrl(), Quota: m.GetQuota(), Namespace: m.GetNamespace(), Workload: m.GetWorkload(), Cluster: m.GetCluster(), Owner: m.GetOwner()}
	for _, k := range m.GetKinds() {
		sub.Kinds = append(sub.Kinds, fleet.NoticeKind(k))
	}
	return core.Subscribe{Subscription: sub}
}
