package whatif

import (
	"cmp"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/health"
	"github.com/muster-fleet/muster/internal/decide/promise"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file tries what quota owners and operators can do.

// reports tries that a cluster whose reports have stopped reports again, and that one
// on which nothing is started yet is decided for.
func (x *search) reports() {
	for _, b := range x.why {
		if b.Code != reason.ClusterNotReady {
			continue
		}
		for _, name := range b.Culprits {
			if c := x.s.Cluster(name); c != nil && c.Stale {
				x.tryKeep(Change{
					Kind: Reports, Class: reason.Fault, Names: []string{name},
					Commands: []core.Command{core.ResumeReports{Cluster: name}},
				})
			} else if c != nil && c.Mode != fleet.Enforce {
				x.tryKeep(Change{Kind: Mode, Class: reason.Ask, Names: []string{name}, Commands: toEnforce(x.s, *c)})
			}
		}
	}
}

// toEnforce are the steps of a cluster to mode enforce, one mode at a time.
func toEnforce(s *fleet.State, c fleet.Cluster) []core.Command {
	steps := []core.Command{core.SetMode{Cluster: c.Name, Mode: fleet.Enforce}}
	if s.SeesWork(c.Name) { // its agent says so by itself
		steps = append(steps, core.ResumeReports{Cluster: c.Name})
	}
	if c.Mode == fleet.Observe {
		steps = append([]core.Command{core.SetMode{Cluster: c.Name, Mode: fleet.Shadow}}, steps...)
	}
	return steps
}

// nodesTried is how many nodes are tried one by one, before several together are.
const nodesTried = 4

// nodes tries that nodes which are out of service are repaired and come back, with
// a passed validation: one, or the fewest of those that are down the longest. For
// flex they count at once; what may be promised rises after probation and the
// dwell, and that is waited for.
func (x *search) nodes() {
	p := x.at()
	if p == nil {
		return
	}
	// A minute more than both, since their last moments still count.
	down, patience := outOfService(p), x.s.Policy.Dwell+x.s.Policy.Probation+time.Minute
	if len(down) == 0 {
		return
	}
	names, commands := make([]string, len(down)), make([]core.Command, len(down))
	for i, n := range down {
		names[i], commands[i] = n.Name, x.comesBack(p, n)
	}
	back := func(from, to int) Change {
		return Change{Kind: Nodes, Class: reason.Ask, Partition: p.ID, Names: names[from:to], Commands: commands[from:to]}
	}
	c, ok := x.least(len(down), func(n int) Change { return back(0, n) }, patience)
	for i := 1; ok && len(c.Names) > 1 && i < min(len(down), nodesTried); i++ {
		if one, works := x.try(back(i, i+1), patience); works {
			c = one
		}
	}
	if x.keep(c, ok, patience) && !x.sooner(patience) {
		x.found = x.found[:len(x.found)-1]
	}
}

// comesBack is how a node returns to service: with all the checks that it needs, or
// from a planned maintenance, which needs none.
func (x *search) comesBack(p *fleet.Partition, n *fleet.Node) core.Command {
	if n.State == fleet.Maintenance {
		return core.SetNodes{Names: []string{n.Name}, State: fleet.Healthy, Signal: "operator"}
	}
	node, _ := p.Node(n.Name)
	return core.RecordValidation{Node: n.Name, Passed: true, Checks: health.Needs(x.s, p, node, x.now)}
}

// sooner says whether the last change that was found lets the workload start
// before time alone would.
func (x *search) sooner(patience time.Duration) bool {
	c := x.found[len(x.found)-1]
	if c.Start.At.Sub(x.now) <= x.s.Policy.MaxGrace || !x.open() {
		return true
	}
	var st Start
	ok := x.on(x.placesOf(x.w.Target, x.w.Partition), nil, func(t *trial) (ok bool) {
		st, ok = t.follow(x.w.Namespace, x.w.Name, patience)
		return ok
	})
	return !ok || c.Start.At < st.At
}

// outOfService lists the nodes that are not in service, the longest first. Those in
// probation are back, and only time brings them further.
func outOfService(p *fleet.Partition) []*fleet.Node {
	var down []*fleet.Node
	for _, n := range p.Nodes {
		if n.State != fleet.Healthy && n.State != fleet.Probation && n.State != fleet.Retired {
			down = append(down, n)
		}
	}
	slices.SortStableFunc(down, func(a, b *fleet.Node) int { return cmp.Compare(a.Since, b.Since) })
	return down
}

// grants tries to grant its quota more: as little as will do.
func (x *search) grants() {
	if x.w.Flexes() {
		return
	}
	for _, p := range x.usual() {
		has, lasts := 0, 0
		if a := p.Account(x.w.Target); a != nil {
			has, lasts = a.Grant, a.Lasting()
		}
		room := promise.CapacityOf(x.s, p, x.now).Sustainable*p.GPUsPerNode - p.Assigned() - x.held(p)
		c, ok := x.least((room+has)/p.GPUsPerNode-has/p.GPUsPerNode, func(nodes int) Change {
			gpus := nodes*p.GPUsPerNode - has%p.GPUsPerNode // what it has beyond whole nodes backs nothing yet
			return Change{
				Kind: Grant, Class: reason.Ask, Quota: x.w.Target, Partition: p.ID, GPUs: gpus, Was: has, Now: has + gpus,
				Commands: []core.Command{core.SetGrant{Quota: x.w.Target, Partition: p.ID, GPUs: lasts + gpus, KeepGang: true}},
			}
		}, 0)
		if x.keep(c, ok, 0) {
			return
		}
	}
}

// usual lists the partitions it may run in, those where its quota has grants first.
func (x *search) usual() []*fleet.Partition {
	list := slices.Clone(x.partitions())
	slices.SortStableFunc(list, func(a, b *fleet.Partition) int { return cmp.Compare(x.granted(b), x.granted(a)) })
	return list
}

func (x *search) granted(p *fleet.Partition) int {
	if a := p.Account(x.w.Target); a != nil {
		return a.Grant
	}
	return 0
}

func (x *search) held(p *fleet.Partition) int {
	_, all := x.s.Held(p.ID, "", x.now)
	return all
}

// gang tries to let the grant declare the gang, so that it is backed in one piece.
func (x *search) gang() {
	a, p := x.account(), x.at()
	if a == nil || !x.has(reason.QuotaUnbacked, reason.Fragmented) {
		return
	}
	pool := x.w.Pools[x.largestPool()]
	per := max(1, p.GPUsPerNode/pool.GPUs)
	gang := (pool.Min + per - 1) / per * p.GPUsPerNode
	if gang > a.Grant || gang <= a.Gang {
		return
	}
	x.tryKeep(Change{
		Kind: Gang, Class: reason.Ask, Quota: a.Quota, Partition: p.ID, GPUs: gang, Was: a.Gang, Now: a.Grant,
		Commands: []core.Command{core.SetGrant{Quota: a.Quota, Partition: p.ID, GPUs: a.Lasting(), Gang: gang}},
	})
}

// Givers are tried in the order of what their work leaves unused: so many at most.
const giversTried = 3

// transfers tries to take from the grant of another quota what its work does not use.
func (x *search) transfers() {
	p := x.at()
	if p == nil || x.w.Flexes() || x.grew() || !x.has(reason.QuotaFull, reason.TreeFull, reason.QuotaUnbacked, reason.Behind) {
		return
	}
	givers := slices.DeleteFunc(slices.Clone(p.Accounts), func(a *fleet.Account) bool {
		return a.Quota == x.w.Target || spare(p, a) < 1
	})
	slices.SortStableFunc(givers, func(a, b *fleet.Account) int { return cmp.Compare(spare(p, b), spare(p, a)) })
	for _, a := range givers[:min(len(givers), giversTried)] {
		c, ok := x.least(spare(p, a), func(nodes int) Change {
			gpus := nodes*p.GPUsPerNode - x.granted(p)%p.GPUsPerNode
			return Change{
				Kind: Transfer, Class: reason.Ask, Quota: a.Quota, Partition: p.ID, GPUs: gpus,
				Commands: []core.Command{core.Transfer{From: a.Quota, To: x.w.Target, Partition: p.ID, GPUs: gpus}},
			}
		}, 0)
		if x.keep(c, ok, 0) {
			return
		}
	}
}

// grew says whether more quota was found already; then no quota need give any up.
func (x *search) grew() bool {
	return slices.ContainsFunc(x.found, func(c Change) bool { return c.Kind == Grant })
}

// spare is the nodes of a grant that its work does not use; none where more of
// its work waits.
func spare(p *fleet.Partition, a *fleet.Account) int {
	if len(a.Queue()) > 0 {
		return 0
	}
	return (a.GrantNodes()*p.GPUsPerNode - a.Stays()) / p.GPUsPerNode
}
