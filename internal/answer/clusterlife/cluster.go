package clusterlife

import (
	"github.com/muster-fleet/muster/internal/decide/buildout"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Cluster is a cluster's life as people see it.
type Cluster struct {
	Life      *fleet.Life      // to be read only
	Blueprint *fleet.Blueprint // nil: it is not there
	Verdict   buildout.Verdict
	Claim     buildout.Claim
	Why       string
}

// Of is one cluster's life now.
func Of(s *fleet.State, l *fleet.Life, now fleet.Instant) Cluster {
	g := core.LedgerOf(s, l.Record.Account(), now)
	return with(s, l, g.ClaimOf(l.Record.Name), core.LeadsOf(s), now)
}

func with(s *fleet.State, l *fleet.Life, claim buildout.Claim, past core.Leads, now fleet.Instant) Cluster {
	c := Cluster{Life: l, Blueprint: s.BlueprintOf(l), Verdict: core.LookWith(s, l, claim, past, now), Claim: claim}
	c.Why = why(&c, now)
	return c
}

// All is every cluster's life now, in order of name.
func All(s *fleet.State, now fleet.Instant) []Cluster {
	list, claims := make([]Cluster, len(s.Lives)), map[string]buildout.Claim{}
	drawn, past := map[string]bool{}, core.LeadsOf(s)
	for i, l := range s.Lives {
		if account := l.Record.Account(); !drawn[account] {
			drawn[account] = true
			for _, c := range core.LedgerOf(s, account, now).Claims {
				claims[c.Cluster] = c
			}
		}
		claim, ok := claims[l.Record.Name]
		if !ok {
			claim.Cluster = l.Record.Name
		}
		list[i] = with(s, l, claim, past, now)
	}
	return list
}

// Waits is the first condition that is missing; none: a zero one.
func (c *Cluster) Waits() buildout.Condition {
	if w := c.Verdict.Waits(); w != nil {
		return *w
	}
	return buildout.Condition{}
}

// Person says whether a person has to do something.
func (c *Cluster) Person() bool {
	w := c.Waits()
	return w.Person
}

// Late says whether a condition, or production itself, is past its p90.
func (c *Cluster) Late() bool {
	if c.Verdict.InProduct.Late {
		return true
	}
	for _, x := range c.Verdict.Conditions {
		if x.Expect.Late {
			return true
		}
	}
	return false
}

// Tries is how often each step was tried.
func (c *Cluster) Tries() map[string]int {
	return c.counts(func(s fleet.StepState) int { return s.Tries })
}

// Operations is how many operations of each step were begun outside.
func (c *Cluster) Operations() map[string]int {
	return c.counts(func(s fleet.StepState) int { return s.Begun })
}

func (c *Cluster) counts(of func(fleet.StepState) int) map[string]int {
	m := map[string]int{}
	for _, s := range c.Life.Steps {
		if n := of(s); n > 0 {
			m[string(s.Step)] = n
		}
	}
	return m
}
