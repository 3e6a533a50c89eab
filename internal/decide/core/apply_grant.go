package core

import (
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

func applyGrants(s *fleet.State, e event.Event) bool {
	switch e := e.(type) {
	case event.GrantSet:
		p := s.Partition(e.Partition)
		if e.None {
			p.EndGrant(e.Quota)
			break
		}
		p.SetGrant(e.Quota, e.GPUs, e.Gang, e.Overcommit)
		p.SetTemporary(e.Quota, e.Temporary)
		p.SetPassing(e.Quota, e.New)
	case event.GrantEnding:
		p := s.Partition(e.Partition)
		soon := p.EnsureAccount(e.Quota).Temporary
		soon.Told = true
		p.SetTemporary(e.Quota, soon)
	case event.GrantEnded:
		p := s.Partition(e.Partition)
		p.SetGrant(e.Quota, e.GPUs, e.Gang, e.Overcommit)
		p.SetTemporary(e.Quota, fleet.Temporary{})
	case event.GrantTransferred:
		applyTransfer(s.Partition(e.Partition), e)
	default:
		return false
	}
	return true
}

// applyTransfer moves what lasts of a grant; what ends of it stays where it is.
func applyTransfer(p *fleet.Partition, e event.GrantTransferred) {
	from, to := p.EnsureAccount(e.From), p.EnsureAccount(e.To)
	p.SetGrant(e.From, from.Grant-e.GPUs, min(from.Gang, p.InWholeNodes(from.Grant-e.GPUs)), from.Overcommit)
	p.SetGrant(e.To, to.Grant+e.GPUs, to.Gang, to.Overcommit)
}

func applyBacking(p *fleet.Partition, e event.BackingAligned, at fleet.Instant) {
	p.SetPromise(e.Promisable, e.Unsustained, at)
	p.Regranted = p.Regranted && e.Trimmed || e.Regranted
	for i, share := range e.Shares {
		p.Islands[i].Share = share
	}
	for _, b := range e.Backing {
		island, _ := p.Island(b.Island)
		p.SetBacking(b.Quota, island, b.Nodes)
	}
	for _, g := range e.Gangs {
		island, _ := p.Island(g.Island)
		p.SetGang(g.Quota, g.Missing, island)
	}
	p.ForgetDip()
	p.Touch()
}
