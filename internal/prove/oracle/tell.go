package oracle

import (
	"context"
	"fmt"
	"strings"

	"github.com/muster-fleet/muster/internal/prove/scenario"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Judge tells a story and lists the breaches of all laws, the first of each law
// only. The error is the world's, or that the story cannot be read.
func Judge(ctx context.Context, s *Story) ([]Breach, error) {
	f, err := scenario.Parse("story", []byte(s.YAML()))
	if err != nil {
		return nil, err
	}
	w := newObserver()
	report, err := scenario.Watch(ctx, f, w.look)
	if err != nil {
		if strings.Contains(err.Error(), "does not come to rest") {
			w.breach(Law{Name: "comes-to-rest", Says: "evictions come to an end (§5)"}, err.Error())
			return w.found, nil
		}
		return nil, err
	}
	return w.with(report), nil
}

// with adds what the story itself found wrong, whatever it expects.
func (w *observer) with(report scenario.Report) []Breach {
	for _, failure := range report.Failures {
		switch {
		case failure.What != "what always holds":
		case failure.Actual == "a change":
			w.breach(Law{Name: "deciding-again", Says: "deciding again changes nothing (§10)"}, failure.Actual)
		default:
			w.breach(Law{Name: "what-always-holds", Says: "the invariants that the engine checks itself (§10)"}, failure.Actual)
		}
	}
	return w.found
}

func newObserver() *observer { return &observer{seen: map[string]bool{}, laws: Laws()} }

// observer takes a photo after each record.
type observer struct {
	laws   []Law
	before *Photo
	dip    *dip
	seen   map[string]bool
	found  []Breach
}

func (w *observer) look(r event.Record, s *fleet.State) {
	after := Take(s)
	before := w.before
	w.before = after
	if before == nil {
		w.dip = newDip(after)
		return
	}
	m := Moment{before, after, r}
	for _, law := range w.laws {
		if law.Look == nil || w.seen[law.Name] {
			continue
		}
		for _, text := range law.Look(m) {
			w.breach(law, text)
		}
	}
	for _, text := range w.dip.look(m) {
		w.breach(standingLaws[len(standingLaws)-1], text)
	}
}

func (w *observer) breach(law Law, text string) {
	if w.seen[law.Name] {
		return
	}
	w.seen[law.Name] = true
	at := "the end"
	if w.before != nil {
		at = w.before.At.Sub(scenario.Start).String()
	}
	w.found = append(w.found, Breach{law, at, text})
}

// dip remembers the fleet before nodes became suspect, as long as nothing else happens.
type dip struct {
	calm *Photo // the last photo in which no node is suspect
}

func newDip(ph *Photo) *dip { return &dip{ph} }

// look compares what was before a dip with what is after it, where nothing but the
// dip happened between.
func (d *dip) look(m Moment) []string {
	if !onlySuspects(m) {
		d.calm = nil
	}
	if suspects(m.After) {
		return nil
	}
	was := d.calm
	d.calm = m.After
	if was == nil {
		return nil
	}
	var s said
	for i, p := range m.After.Parts {
		if p.Stale || was.Parts[i].Stale {
			return nil
		}
		for k, q := range p.Quotas {
			old := was.Parts[i].Quotas[k]
			for island, n := range q.Backing {
				if n < old.Backing[island] && len(was.Parts[i].guaranteedNodes(q.Path, island)) > n {
					s.add("%s was backed by %v nodes before, and is by %v; its guaranteed work stands in %s", q.Path, old.Backing, q.Backing, p.Islands[island])
				}
			}
		}
	}
	for _, j := range m.After.Jobs {
		if old := was.Job(j.ID); old != nil && old.State == fleet.RunningW && j.State == fleet.RunningW && worse(old, j) {
			s.add("%s stood%s before, and stands%s", j.Name, standing(old), standing(j))
		}
	}
	return s
}

func standing(j *Job) string {
	text := ""
	for _, u := range j.Units {
		text += fmt.Sprintf(" %s on node %d %s;", j.Pools[u.Pool].Name, u.Node, u.Holds)
	}
	return text
}

// worse says whether some unit, on the same node, lost the cover it had.
func worse(old, now *Job) bool {
	for i := range now.Units {
		if i < len(old.Units) && old.Units[i].Node == now.Units[i].Node && now.Units[i].Holds > old.Units[i].Holds {
			return true
		}
	}
	return false
}

func suspects(ph *Photo) bool {
	for _, p := range ph.Parts {
		for _, n := range p.Nodes {
			if n.State == fleet.Suspect {
				return true
			}
		}
	}
	return false
}

// onlySuspects says whether nothing happened but that nodes became suspect, or came
// back from it, with what follows for backing and holds.
func onlySuspects(m Moment) bool {
	nodes := false
	for _, e := range m.Record.Events {
		switch e := e.(type) {
		case event.BackingAligned, event.HoldsChanged:
		case event.NodeChanged:
			nodes = true
			if e.To != fleet.Suspect && e.To != fleet.Healthy {
				return false
			}
		default:
			return false
		}
	}
	for i, p := range m.Before.Parts {
		for k, n := range p.Nodes {
			now := m.After.Parts[i].Nodes[k].State
			if n.State != now && n.State != fleet.Suspect && now != fleet.Suspect {
				return false
			}
		}
	}
	return nodes
}
