package health

import (
	"sort"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Diagnosis is what follows for a partition from its signals and the policy.
type Diagnosis struct {
	Bursts   []fleet.Burst // newly flagged
	Over     []string      // signatures of bursts that are over
	Trips    int           // nodes wanted out of service, if the breaker opens now; 0: it does not
	Changes  []Change      // of nodes, in the order in which the budget goes to them
	Verdicts []Verdict     // of nodes about which there is something to say, in order of node
	Again    fleet.Instant // when time alone may change it; Never: not at all
}

// Change is a node's new state.
type Change struct {
	Node   int
	To     fleet.NodeState
	Dead   int
	Signal string
	Needs  []string
}

// Diagnose says what follows for a partition.
func Diagnose(s *fleet.State, p *fleet.Partition, now fleet.Instant) Diagnosis {
	l := &look{policy: s.HealthPolicy(), now: now, again: fleet.Never}
	d := Diagnosis{}

	// 1. What does each node's health say?
	for _, k := range p.Ailing() {
		if v := l.verdict(p, k); len(v.Findings) > 0 || p.Nodes[k].StateOwner == fleet.ByAutomatic {
			d.Verdicts = append(d.Verdicts, v)
		}
	}
	// 2. Is it one story on many nodes?
	all := crowds(d.Verdicts)
	d.Bursts, d.Over = l.newBursts(p, all), l.overBursts(p, all)
	// 3. Is it so much at once that automation must stop?
	if n, trips := l.trips(p, d.Verdicts); trips && p.Health.Tripped == 0 && !shadows(s, p) {
		d.Trips = n
	}
	// 4. What is wanted, and what stands in its way?
	for i := range d.Verdicts {
		v := &d.Verdicts[i]
		hold(p, v)
		v.conclude(p)
		v.Held = l.holds(s, p, v)
	}
	// 5. Which nodes change? First those that come back, then the worst.
	if len(d.Bursts) == 0 && d.Trips == 0 { // else it is asked again with them in force
		d.Changes = append(l.returns(s, p, d.Verdicts), l.takes(p, d.Verdicts)...)
	}
	d.Again = l.again
	return d
}

// shadows says whether automation only judges in a partition.
func shadows(s *fleet.State, p *fleet.Partition) bool {
	c := s.Cluster(p.Cluster)
	return s.HealthPolicy().Shadow || c != nil && c.Mode != fleet.Enforce
}

// holds says why what is wanted of a node is not done; the budget is asked later.
func (l *look) holds(s *fleet.State, p *fleet.Partition, v *Verdict) Held {
	n := p.Nodes[v.Node]
	switch {
	case v.Want == "":
		return heldFinding(v)
	case !worse(n, v):
		return ""
	case n.StateOwner == fleet.ByMaintenance || n.State == fleet.Maintenance:
		return HeldByMaintenance
	case n.StateOwner == fleet.ByOperator:
		return HeldByOperator
	case shadows(s, p):
		return HeldByShadow
	case p.Health.Tripped != 0:
		return HeldByBreaker
	}
	return ""
}

func heldFinding(v *Verdict) Held {
	for _, f := range v.Findings {
		if f.Then != "" && f.Held != "" {
			return f.Held
		}
	}
	return ""
}

// worse says whether the wanted state is worse than the one the node is in.
// A node that is out of service is judged only by the people who mend it.
func worse(n *fleet.Node, v *Verdict) bool {
	switch n.State {
	case fleet.Healthy, fleet.Probation, fleet.Suspect:
		return v.Want.Severity() > n.State.Severity()
	case fleet.Degraded:
		return v.Want.Severity() > n.State.Severity() || v.Want == fleet.Degraded && v.Dead > n.Dead
	case fleet.Maintenance:
		return v.Want != ""
	default:
		return false
	}
}

// returns lists the suspects about which nothing is asked for any more.
func (l *look) returns(s *fleet.State, p *fleet.Partition, verdicts []Verdict) []Change {
	if c := s.Cluster(p.Cluster); p.Health.Tripped != 0 || shadows(s, p) || c != nil && c.Stale {
		return nil // nothing is done, or silence may be why nothing is asked for
	}
	var changes []Change
	for _, v := range verdicts {
		n := p.Nodes[v.Node]
		if v.Want != "" || n.State != fleet.Suspect || n.StateOwner != fleet.ByAutomatic {
			continue
		}
		at := max(v.Over, l.flapsUntil(n, v.Over))
		if l.now < at {
			l.wake(at)
			continue
		}
		to := fleet.Healthy
		if n.Health.Before == fleet.Probation {
			to = fleet.Probation
		}
		changes = append(changes, Change{Node: v.Node, To: to, Signal: "over: " + n.Signal})
	}
	return changes
}

// flapsUntil is how long a node that was suspected again and again stays so.
func (l *look) flapsUntil(n *fleet.Node, over fleet.Instant) fleet.Instant {
	f, flaps := l.policy.Flap, n.Health.Flaps
	if k := len(flaps) - f.Times; k >= 0 && flaps[len(flaps)-1].Sub(flaps[k]) <= f.Within {
		return over.Add(f.CoolDown)
	}
	return over
}

// takes lists the nodes that automation takes out of service, the worst and then
// the longest wanted first, within its budget. Those beyond it are marked.
func (l *look) takes(p *fleet.Partition, verdicts []Verdict) []Change {
	left := Allowance(p, l.policy)
	var wanted []*Verdict
	for i := range verdicts {
		v := &verdicts[i]
		n := p.Nodes[v.Node]
		if n.StateOwner == fleet.ByAutomatic {
			left--
		}
		if v.Want != "" && v.Held == "" && worse(n, v) {
			wanted = append(wanted, v)
		}
	}
	sort.SliceStable(wanted, func(i, j int) bool { return before(wanted[i], wanted[j]) })
	var changes []Change
	for _, v := range wanted {
		if p.Nodes[v.Node].StateOwner != fleet.ByAutomatic {
			if left <= 0 {
				v.Held = HeldByBudget
				continue
			}
			left--
		}
		changes = append(changes, Change{Node: v.Node, To: v.Want, Dead: v.Dead, Signal: v.Because, Needs: v.Needs})
	}
	return changes
}

func before(a, b *Verdict) bool {
	if x, y := a.Want.Severity(), b.Want.Severity(); x != y {
		return x > y
	}
	if a.At != b.At {
		return a.At < b.At
	}
	return a.Node < b.Node
}
