package fleet

import (
	"slices"
	"sort"
)

// This file gives quotas accounts in a partition: what is granted, what backs it, and what that touches.

// EnsureAccount finds or makes the account of a quota.
func (p *Partition) EnsureAccount(quota string) *Account {
	if a := p.accounts[quota]; a != nil {
		return a
	}
	a := &Account{Quota: quota, Backing: make([]int, len(p.Islands))}
	p.Accounts = append(p.Accounts, a)
	sort.Slice(p.Accounts, func(i, j int) bool { return p.Accounts[i].Quota < p.Accounts[j].Quota })
	a.attach(p)
	p.requeueTarget(quota)
	return a
}

func (a *Account) attach(p *Partition) {
	a.partition, a.tree = p, TreeOf(a.Quota)
	p.serials++
	a.serial = p.serials
	a.touched, a.stuck = make([]int, len(p.Islands)), footing{}
	a.over, a.backedNodes = 0, sum(a.Backing)
	a.usage, a.stays, a.gpusAs = 0, 0, [5]int{}
	a.loose, a.work, a.queue = 0, nil, queue{account: a}
	a.islands, a.insideHolds = nil, nil
	p.accounts[a.Quota] = a
	if a.Ending {
		p.endings++
	}
	a.join()
	p.gangless += min(1, a.GangMissing)
	p.short += a.short()
	p.declared += min(1, a.Gang)
	for i := range p.Islands {
		a.count(i, 1)
	}
}

// SetGrant makes the grant of a quota this many GPUs.
func (p *Partition) SetGrant(quota string, gpus, gang int, overcommit bool) {
	a := p.EnsureAccount(quota)
	p.setEnding(a, false)
	p.short -= a.short()
	p.declared -= min(1, a.Gang)
	p.Regranted = p.Regranted || a.GrantNodes() != gpus/p.GPUsPerNode || a.Gang != gang
	p.keepStood(a, func() { a.Grant, a.Gang, a.Overcommit = gpus, gang, overcommit })
	p.short += a.short()
	p.declared += min(1, a.Gang)
	p.grantsMoved = true
	if len(a.insideHolds) > 0 {
		a.touch() // what fits beside them in the grant may have changed
	}
	p.Unalign()
}

// EndGrant ends the grant of a quota, even one of 0 GPUs: no more of its work may stand here, and what waits for it waits
// elsewhere. The account goes with the last of its work and holds.
func (p *Partition) EndGrant(quota string) {
	a := p.accounts[quota]
	if a == nil {
		return
	}
	p.SetGrant(quota, 0, 0, false)
	p.SetTemporary(quota, Temporary{})
	a.Passing = false
	p.setEnding(a, true)
	if a.empty() {
		p.drop(a)
	}
	p.Regranted = true
	p.state.GrantsEnded()
}

// Ended lists the quotas whose grant is no more and nothing of which is left.
func (p *Partition) Ended() (quotas []string) {
	if p.endings == 0 {
		return nil
	}
	for _, a := range p.Accounts {
		if a.Ending && a.empty() {
			quotas = append(quotas, a.Quota)
		}
	}
	return quotas
}

// empty says whether nothing stands in the account, and nothing of it is held.
func (a *Account) empty() bool { return len(a.work) == 0 && a.usage == 0 && len(a.insideHolds) == 0 }

func (p *Partition) setEnding(a *Account, ending bool) {
	if a.Ending == ending {
		return
	}
	a.Ending = ending
	if ending {
		p.endings++
	} else {
		p.endings--
	}
	p.requeueTarget(a.Quota)
}

// drop takes an account out of the partition, with all that it counts for.
func (p *Partition) drop(a *Account) {
	for i := range p.Islands {
		a.count(i, -1)
	}
	if a.Ending {
		p.endings--
	}
	a.quit()
	p.grantsMoved = true
	p.gangless -= min(1, a.GangMissing)
	p.short -= a.short()
	p.declared -= min(1, a.Gang)
	p.Accounts = remove(p.Accounts, func(x *Account) bool { return x == a })
	delete(p.accounts, a.Quota)
	p.Freed()
}

// SetBacking makes this many nodes of an island back a quota.
func (p *Partition) SetBacking(quota string, island, nodes int) {
	a := p.EnsureAccount(quota)
	p.short -= a.short()
	more := nodes > a.Backing[island]
	p.drift += nodes - a.Backing[island]
	p.ground++
	p.lookAtIsland(island)
	a.count(island, -1)
	a.back(nodes - a.Backing[island])
	p.keepStood(a, func() { a.Backing[island] = nodes })
	a.count(island, 1)
	p.short += a.short()
	a.touch()
	p.changes.OnNodes++
	p.rebacked(a.root, more)
}

// SetGang says what a quota's declared gang lacks in its best island; 0: nothing.
func (p *Partition) SetGang(quota string, missing, island int) {
	a := p.EnsureAccount(quota)
	p.gangless -= min(1, a.GangMissing)
	p.keepStood(a, func() { a.GangMissing, a.GangIsland = missing, island })
	p.gangless += min(1, missing)
}

// count adds what backs the account in an island, and what it touches there, to
// (sign 1) or takes it from (−1) the figures that follow from both.
func (a *Account) count(island, sign int) {
	i, backed, touched := a.partition.Islands[island], a.Backing[island], a.touched[island]
	a.root.backing[island] += sign * backed
	i.backedNodes += sign * backed
	i.stirred++
	i.unscheduled += sign * max(0, backed-touched)
	i.lists(a, sign > 0 && backed > touched)
	if sign > 0 {
		a.stand(island, backed > 0 || touched > 0)
	}
	if touched > backed {
		a.stray(0, sign)
		a.partition.overs += sign
		a.partition.straying = true
	}
}

// stand keeps the list of islands in which something backs the account, or it touches something.
func (a *Account) stand(island int, stands bool) {
	at, listed := slices.BinarySearch(a.islands, island)
	switch {
	case stands && !listed:
		a.islands = slices.Insert(a.islands, at, island)
	case !stands && listed:
		a.islands = slices.Delete(a.islands, at, at+1)
	}
}
