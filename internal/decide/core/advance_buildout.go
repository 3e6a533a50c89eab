package core

import (
	"fmt"
	"time"

	"github.com/muster-fleet/muster/internal/decide/buildout"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// buildOut lets the lives of clusters go on, until there is nothing left to decide about
// them. It says whether anything was.
func (t *turn) buildOut() (moved bool) {
	from := len(t.events)
	for i := 0; ; i++ {
		lives, accounts := t.s.TakeTouched(t.now)
		if len(lives)+len(accounts) == 0 {
			return len(t.events) > from
		}
		if i > 1000 {
			panic(fmt.Sprintf("core: the building of clusters does not come to rest, %s among them", lives[0].Record.Name))
		}
		for _, account := range accounts {
			t.reserve(account)
		}
		for _, l := range lives {
			t.live(l)
		}
	}
}

// reserve brings the ledger of a cloud account up to date.
func (t *turn) reserve(account string) {
	g := t.ledger(account)
	for r, ends := g.Release(); ends; r, ends = g.Release() {
		t.emit(event.CoresReleased{Cluster: r.Cluster, Meters: r.Meters, Settled: r.Settled, Why: r.Why})
		g = t.ledger(account)
	}
	for _, grant := range g.Grants(t.now) {
		t.emit(event.CoresReserved{Cluster: grant.Cluster, Reserved: grant.Reserved})
	}
}

// ledger is the ledger of a cloud account, drawn up once until something changes in it.
func (t *turn) ledger(account string) buildout.Ledger {
	g, ok := t.ledgers[account]
	if !ok {
		if t.ledgers == nil {
			t.ledgers = map[string]buildout.Ledger{}
		}
		g = LedgerOf(t.s, account, t.now)
		t.ledgers[account] = g
	}
	return g
}

// outdated drops ledgers that an event may change: all do but those about one condition.
func (t *turn) outdated(e event.Event) {
	switch e := e.(type) {
	case event.ConditionChanged, event.EvidenceSeen:
		return
	case event.LifeTurned:
		if e.Stage == event.LifeLate {
			return
		}
	}
	clear(t.ledgers)
}

// LedgerOf is the ledger of a cloud account, SUBSCRIPTION/REGION.
func LedgerOf(s *fleet.State, account string, now fleet.Instant) buildout.Ledger {
	var lives []*fleet.Life
	var blueprints []*fleet.Blueprint
	for _, l := range s.Lives {
		if l.Record.Account() == account {
			lives, blueprints = append(lives, l), append(blueprints, s.BlueprintOf(l))
		}
	}
	return buildout.LedgerOf(account, s.Account(account), lives, blueprints, now)
}

// Look is what one look at a cluster that is built says now.
func Look(s *fleet.State, l *fleet.Life, now fleet.Instant) buildout.Verdict {
	return LookIn(s, l, LedgerOf(s, l.Record.Account(), now), now)
}

// LookIn is Look with the ledger of the cluster's account at hand.
func LookIn(s *fleet.State, l *fleet.Life, g buildout.Ledger, now fleet.Instant) buildout.Verdict {
	return buildout.Next(l, s.BlueprintOf(l), observed(s, l, g), now)
}

// live does what one look at a cluster leads to.
func (t *turn) live(l *fleet.Life) {
	v := LookIn(t.s, l, t.ledger(l.Record.Account()), t.now)
	t.s.WakeLife(l.Record.Name, v.Wake)
	name := l.Record.Name
	for _, c := range v.Conditions {
		t.note(l, c)
	}
	for _, i := range v.Intents {
		t.emit(event.OperationIntended{Cluster: name, Step: i.Step, ID: i.ID, Generation: i.Generation, Attempt: i.Attempt})
	}
	switch {
	case v.Enter:
		t.produce(l)
	case v.Empty:
		t.emptied(l)
	case v.Retire:
		t.retire(l)
	}
}

// note writes down that a condition changed, or is late.
func (t *turn) note(l *fleet.Life, c buildout.Condition) {
	was, _ := l.Condition(c.Type)
	turns := c.Turn && was.Turn == 0
	if was.Status != c.Status || was.Reason != c.Reason || was.Person != c.Person || turns {
		t.emit(event.ConditionChanged{Cluster: l.Record.Name, Condition: c.Type, Status: c.Status, Reason: c.Reason, Turn: turns, Person: c.Person})
	}
	if c.Expect.Late && (was.Late == 0 || was.Status != c.Status) {
		t.emit(event.LifeTurned{Cluster: l.Record.Name, Stage: event.LifeLate, Condition: c.Type})
	}
}

// observed is what the fleet knows of a cluster beside its own life.
func observed(s *fleet.State, l *fleet.Life, g buildout.Ledger) buildout.Observed {
	o := buildout.Observed{Claim: g.ClaimOf(l.Record.Name)}
	o.Pace = func(c fleet.ConditionType) []time.Duration { return s.Paces(l.Record.Blueprint, c) }
	is := s.Cluster(l.Record.Name)
	if is == nil {
		return o
	}
	if l.Course.Produced == 0 {
		o.Taken = true
		return o
	}
	o.Stale = is.Stale
	if p := s.Partition(l.Record.Partition()); p != nil {
		o.Islands, o.Working = islandsOf(p), working(s, l.Record.Name)
	}
	return o
}

func islandsOf(p *fleet.Partition) []buildout.IslandNodes {
	list := make([]buildout.IslandNodes, len(p.Islands))
	for i, island := range p.Islands {
		list[i] = buildout.IslandNodes{Island: island.Name, Nodes: len(island.Nodes())}
		for _, n := range island.Nodes() {
			if st := p.Nodes[n].State; st == fleet.Healthy || st == fleet.Probation || st == fleet.Maintenance { // planned work is no failure
				list[i].Ready++
			}
		}
	}
	return list
}

// working counts the workloads that stand in a cluster.
func working(s *fleet.State, cluster string) (n int) {
	for _, p := range s.Partitions {
		if p.Cluster == cluster {
			n += p.Standing()
		}
	}
	return n
}

// produce makes the cluster's GPUs count as installed, all at once (cluster-life.md §2.4).
func (t *turn) produce(l *fleet.Life) {
	r := &l.Record
	if t.s.Cluster(r.Name) == nil {
		t.emit(event.ClusterAdded{Cluster: r.Name, Mode: t.s.BlueprintOf(l).Mode})
	}
	if t.s.Partition(r.Partition()) == nil {
		t.emit(event.PartitionAdded{Cluster: r.Name, GPU: r.GPU, GPUsPerNode: r.GPUsPerNode})
	}
	p := t.s.Partition(r.Partition())
	for _, i := range r.Islands {
		t.install(p, i)
	}
	t.emit(event.LifeTurned{Cluster: r.Name, Stage: event.LifeProduced, Generation: l.Generation})
}

// install adds the nodes of an island that are not there yet.
func (t *turn) install(p *fleet.Partition, i fleet.RecordIsland) {
	have := 0
	at, exists := p.Island(i.Name)
	if exists {
		have = len(p.Islands[at].Nodes())
	} else {
		t.emit(event.IslandAdded{Partition: p.ID, Island: i.Name, Racks: 1})
	}
	var names []string
	for k := have + 1; k <= i.Nodes; k++ {
		names = append(names, fmt.Sprintf("%s-%s-%s-%03d", p.Cluster, p.GPU, i.Name, k))
	}
	if len(names) > 0 {
		t.emit(event.NodesAdded{Partition: p.ID, Island: i.Name, Names: names})
	}
}

// emptied releases the nodes of a cluster in which no work is left.
func (t *turn) emptied(l *fleet.Life) {
	for _, p := range t.s.Partitions {
		if p.Cluster != l.Record.Name || l.Course.Produced == 0 {
			continue
		}
		for _, n := range p.Nodes {
			if n.State != fleet.Retired {
				t.emit(event.NodeChanged{Partition: p.ID, Node: n.Name, From: n.State, To: fleet.Retired, Signal: "the cluster is retired"})
			}
		}
	}
	t.emit(event.LifeTurned{Cluster: l.Record.Name, Stage: event.LifeEmptied})
}

// retire ends a cluster's life; its cores are free again.
func (t *turn) retire(l *fleet.Life) {
	if len(l.Reserved) > 0 {
		e := event.CoresReleased{Cluster: l.Record.Name, Why: "the cluster is retired"}
		for _, r := range l.Reserved {
			e.Meters = append(e.Meters, r.Meter)
		}
		t.emit(e)
	}
	t.emit(event.LifeTurned{Cluster: l.Record.Name, Stage: event.LifeRetired})
}
