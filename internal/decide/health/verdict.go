package health

import (
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Held is why automation does not do what the signals ask for.
type Held string

// The reasons to hold back.
const (
	HeldByStoreOnly   Held = "store-only"  // the monitor asks that nothing be done
	HeldByBurst       Held = "burst"       // many nodes say the same: the job or the monitor is flagged first
	HeldByShadow      Held = "shadow"      // the policy, or the cluster's mode, lets it judge only
	HeldByBreaker     Held = "breaker"     // automation has stopped here and waits for a person
	HeldByBudget      Held = "budget"      // as many nodes are out by automation as it may take
	HeldByOperator    Held = "operator"    // a person keeps the node's state
	HeldByMaintenance Held = "maintenance" // a maintenance does
)

// Verdict is what automation thinks of one node.
type Verdict struct {
	Node     int // index into Partition.Nodes
	Findings []Finding
	Want     fleet.NodeState // the worst that is asked for and listened to; "": nothing
	Dead     int             // GPUs, with Want degraded
	Because  string          // the finding behind it, in words
	Needs    []string
	At       fleet.Instant // since when it is wanted
	Over     fleet.Instant // without Want: from when on a suspect may return
	Held     Held          // why it is not done; "": it is, or there is nothing to do
}

// verdict judges one node. What a burst holds is left to later.
func (l *look) verdict(p *fleet.Partition, node int) Verdict {
	v, h := Verdict{Node: node}, p.Nodes[node].Health
	if h == nil {
		return v
	}
	for _, c := range h.Conditions {
		f, live, over := l.finding(h, c)
		v.Over = max(v.Over, over)
		if !live {
			continue
		}
		if c.StoreOnly {
			f.Held = HeldByStoreOnly
		}
		v.Findings = append(v.Findings, f)
	}
	return v
}

// conclude finds the worst of what is asked for and listened to.
func (v *Verdict) conclude(p *fleet.Partition) {
	v.Want, v.Dead, v.Because, v.Needs, v.At = "", 0, "", nil, 0
	dead := map[fleet.Entity]bool{}
	for _, f := range v.Findings {
		if f.Then == "" || f.Held != "" {
			continue
		}
		if f.Then == fleet.Degraded {
			markDead(dead, f.Condition)
		}
		v.Needs = append(v.Needs, f.Needs...)
		if s := f.Then.Severity(); s > v.Want.Severity() || s == v.Want.Severity() && f.At < v.At {
			v.Want, v.At, v.Because = f.Then, f.At, Words(f.Condition)
		}
	}
	if v.Want != fleet.Degraded {
		return
	}
	if v.Dead = max(1, len(dead)); v.Dead >= p.Nodes[v.Node].GPUs {
		v.Want, v.Dead = fleet.Quarantined, 0 // nothing good is left
	}
}

func markDead(dead map[fleet.Entity]bool, c *fleet.Condition) {
	for _, e := range c.Entities {
		if e.Type == fleet.EntityGPU {
			dead[e] = true
		}
	}
}

// Words is a condition as people read it: XID 79 on GPU 3 (dcgm).
func Words(c *fleet.Condition) string {
	text := c.Check
	for i, code := range c.Codes {
		if i == 0 {
			text += " "
		} else {
			text += ","
		}
		text += code
	}
	if on := fleet.EntityKey(c.Entities); on != "" {
		text += " on " + on
	}
	return text + " (" + c.Agent + ")"
}
