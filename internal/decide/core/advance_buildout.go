package core

import (
	"fmt"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/decide/buildout"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// mostWoken bounds how many clusters one decision looks at because their moment has come. The others
// are due still, and a Tick comes for them at once: so no report waits for a thousand that are late together.
const mostWoken = 10

// buildOut lets the lives of clusters go on, until there is nothing left to decide about
// them. It says whether anything was.
func (t *turn) buildOut() (moved bool) {
	from := len(t.events)
	for i := 0; ; i++ {
		accounts := t.s.TakeAccounts()
		for _, account := range accounts {
			t.reserve(account)
		}
		for _, p := range t.s.TakePaced() {
			t.hasten(p)
		}
		lives, woken := t.s.TakeLives(t.now, mostWoken-t.woken)
		t.woken += woken
		if len(lives)+len(accounts) == 0 {
			return len(t.events) > from
		}
		if i > 1000 {
			panic(fmt.Sprintf("core: the building of clusters does not come to rest, %v and %d lives among them", accounts, len(lives)))
		}
		for _, l := range lives {
			t.live(l)
		}
	}
}

// reserve brings the ledger of a cloud account up to date, and looks at the clusters whose
// place in it is another one now.
func (t *turn) reserve(account string) {
	g := t.ledger(account)
	for r, ends := g.Release(); ends; r, ends = g.Release() {
		t.emit(event.CoresReleased{Cluster: r.Cluster, Meters: r.Meters, Settled: r.Settled, Why: r.Why})
	}
	g = t.ledger(account) // what ended is free in it
	for _, grant := range g.Grants(t.now) {
		t.emit(event.CoresReserved{Cluster: grant.Cluster, Reserved: grant.Reserved})
	}
	for _, name := range g.Moved() {
		t.s.TouchLife(name)
	}
}

// hasten wakes clusters when they are late by a pace that has changed: some at once.
func (t *turn) hasten(p fleet.Pace) {
	o := buildout.Observed{Pace: paceOf(t.s, p.Blueprint)}
	for _, l := range t.s.Lives {
		if l.Record.Blueprint != p.Blueprint {
			continue
		}
		if at := buildout.LateAt(l, t.s.BlueprintOf(l), o, p.Condition, t.now); at != fleet.Never {
			t.s.WakeLifeBy(l.Record.Name, at)
		}
	}
}

// drawnLedger is a ledger that a decision has drawn up.
type drawnLedger struct{ buildout.Ledger }

// Fork is nil: nothing is built in a copy.
func (*drawnLedger) Fork() fleet.Memory { return nil }

// ledger is the ledger of a cloud account, drawn up anew where something has changed in it, or
// where the cloud's counts have grown old.
func (t *turn) ledger(account string) *buildout.Ledger {
	was, ok := t.s.AccountMemory(account).(*drawnLedger)
	if !ok || was.Known != buildout.Counted(t.s.CloudAccount(account), t.now) {
		was = &drawnLedger{LedgerOf(t.s, account, t.now)}
		t.s.RememberAccount(account, was)
	}
	return &was.Ledger
}

// LedgerOf is the ledger of a cloud account, SUBSCRIPTION/REGION.
func LedgerOf(s *fleet.State, account string, now fleet.Instant) buildout.Ledger {
	lives := s.LivesOf(account)
	blueprints := make([]*fleet.Blueprint, len(lives))
	for i, l := range lives {
		blueprints[i] = s.BlueprintOf(l)
	}
	return buildout.LedgerOf(account, s.CloudAccount(account), lives, blueprints, now)
}

// Look is what one look at a cluster that is built says now.
func Look(s *fleet.State, l *fleet.Life, now fleet.Instant) buildout.Verdict {
	g := LedgerOf(s, l.Record.Account(), now)
	return LookWith(s, l, g.ClaimOf(l.Record.Name), LeadsOf(s), now)
}

// LookWith is Look with the cluster's place in the ledger, and past clusters, at hand.
func LookWith(s *fleet.State, l *fleet.Life, claim buildout.Claim, past Leads, now fleet.Instant) buildout.Verdict {
	o := observed(s, l, claim)
	o.Lead = func(c fleet.ConditionType) []time.Duration { return past(l.Record.Blueprint, c) }
	return buildout.Next(l, s.BlueprintOf(l), o, now)
}

// Leads is how long clusters of a blueprint took from when a condition first held until they
// were in production, shortest first.
type Leads func(blueprint string, c fleet.ConditionType) []time.Duration

// LeadsOf gathers them when they are first asked for.
func LeadsOf(s *fleet.State) Leads {
	kept := map[fleet.Pace][]time.Duration{}
	return func(blueprint string, t fleet.ConditionType) []time.Duration {
		of := fleet.Pace{Blueprint: blueprint, Condition: t}
		list, known := kept[of]
		if known {
			return list
		}
		for _, l := range s.Lives {
			if l.Course.Produced == 0 || l.Record.Blueprint != blueprint {
				continue
			}
			if c, ok := l.Condition(t); ok && c.Took != 0 {
				list = append(list, max(0, l.Course.Produced.Sub(c.Turn.Add(c.Took))))
			}
		}
		slices.Sort(list)
		kept[of] = list
		return list
	}
}

// look is one look at a cluster. Only one that still wants cores asks the ledger.
func (t *turn) look(l *fleet.Life) buildout.Verdict {
	b, claim := t.s.BlueprintOf(l), buildout.Claim{Cluster: l.Record.Name}
	if buildout.Wants(l, b) {
		claim = t.ledger(l.Record.Account()).ClaimFor(l)
	}
	return buildout.Next(l, b, observed(t.s, l, claim), t.now)
}

// live does what one look at a cluster leads to.
func (t *turn) live(l *fleet.Life) {
	v := t.look(l)
	t.s.WakeLife(l.Record.Name, v.Wake)
	name := l.Record.Name
	for _, c := range v.Conditions {
		t.note(l, c)
	}
	t.degrade(l, v)
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

// degrade writes down that a cluster in production lost a condition, and that all that is in
// production is well again. What is merely not known any more ends nothing.
func (t *turn) degrade(l *fleet.Life, v buildout.Verdict) {
	switch was := l.Course.Degraded != 0; {
	case v.Degraded && !was:
		t.emit(event.LifeTurned{Cluster: l.Record.Name, Stage: event.LifeDegraded})
	case was && v.Sound:
		t.emit(event.LifeTurned{Cluster: l.Record.Name, Stage: event.LifeRecovered})
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
func observed(s *fleet.State, l *fleet.Life, claim buildout.Claim) buildout.Observed {
	o := buildout.Observed{Claim: claim, Pace: paceOf(s, l.Record.Blueprint)}
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
		o.Islands = islandsOf(p)
	}
	if l.Course.Retiring != 0 {
		o.Working = working(s, l.Record.Name)
	}
	return o
}

// paceOf is how long conditions took in clusters of a blueprint.
func paceOf(s *fleet.State, blueprint string) func(fleet.ConditionType) []time.Duration {
	return func(c fleet.ConditionType) []time.Duration { return s.Paces(blueprint, c) }
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

// produce makes the cluster's GPUs count as installed, all at once (cluster-life.md §2.4). Nodes
// of a cluster that reports them itself count once it does, which it is let do now.
func (t *turn) produce(l *fleet.Life) {
	r := &l.Record
	if t.s.Cluster(r.Name) == nil {
		t.emit(event.ClusterAdded{Cluster: r.Name, Mode: t.modeBuilt(l)})
	}
	if t.s.Partition(r.Partition()) == nil {
		t.emit(event.PartitionAdded{Cluster: r.Name, GPU: r.GPU, GPUsPerNode: r.GPUsPerNode})
	}
	if p := t.s.Partition(r.Partition()); !l.ReportsNodes() {
		for _, i := range r.Islands {
			t.install(p, i)
		}
	}
	t.emit(event.LifeTurned{Cluster: r.Name, Stage: event.LifeProduced, Generation: l.Generation})
}

// modeBuilt is the mode in which a cluster that was built begins: that of its blueprint. Where enforce takes two people,
// one person's blueprint does not bring it about: they propose it for the cluster.
func (t *turn) modeBuilt(l *fleet.Life) fleet.Mode {
	if mode := t.s.BlueprintOf(l).Mode; mode != fleet.Enforce || !t.s.Policy.TwoPeople.Enforce {
		return mode
	}
	return fleet.Shadow
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
