package core

import (
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

func startRollout(s *fleet.State, r Request, c StartRollout, now fleet.Instant) ([]event.Event, *Refusal) {
	if refusal := checkName("rollout", c.Name); refusal != nil {
		return nil, refusal
	}
	if old := s.Kept().Rollout(c.Name); old != nil {
		return nil, refuse(NameTaken, "there is a rollout %q already, %s; rollouts are kept, so choose another name", c.Name, old.State)
	}
	plan := withDefaults(c.Plan)
	for _, check := range []func(*fleet.State, fleet.RolloutPlan) *Refusal{checkWhere, checkBundle, checkStages} {
		if refusal := check(s, plan); refusal != nil {
			return nil, refusal
		}
	}
	next := fleet.Rollout{Name: c.Name, RolloutPlan: plan, RolloutLife: fleet.RolloutLife{State: fleet.RolloutRunning, By: r.Actor.Name, Added: now}}
	other := overlapping(s, &next)
	switch {
	case other == nil:
		return one(event.RolloutSet{Rollout: next})
	case other.Begun() || other.Scope != plan.Scope || !slices.Equal(other.Nodes, plan.Nodes):
		return nil, refuse(Conflict, "rollout %q has nodes of this scope; wait until it is done, abandon it, or choose other nodes", other.Name)
	}
	into := *other
	into.Updates = union(into.Updates, plan.Updates)
	if refusal := checkMerged(s, into); refusal != nil {
		return nil, refusal
	}
	next.Joined = other.Name
	return []event.Event{event.RolloutSet{Rollout: into}, event.RolloutSet{Rollout: next}}, nil
}

// checkMerged refuses to let a rollout join another one with a second version of a component: nodes would go from one to the other
// for ever.
func checkMerged(s *fleet.State, into fleet.Rollout) *Refusal {
	refusal := checkBundle(s, into.RolloutPlan)
	if refusal == nil {
		return nil
	}
	return refuse(Conflict, "rollout %q has not begun, has nodes of this scope, and would be joined: %s; wait until it is done, or abandon it", into.Name, refusal.Message)
}

func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(all, x) {
			all = append(all, x)
		}
	}
	return all
}

// withDefaults fills in what the contract says where people said nothing (maintenance §3).
func withDefaults(p fleet.RolloutPlan) fleet.RolloutPlan {
	if p.Canary.Nodes == 0 {
		p.Canary.Nodes = 2
	}
	if p.Canary.Soak == 0 {
		p.Canary.Soak = 24 * time.Hour
	}
	if len(p.Waves) == 0 {
		p.Waves = []fleet.Permille{50, 250, 1000}
	}
	if p.Limits.PerIsland == 0 {
		p.Limits.PerIsland = 2
	}
	if p.Limits.PerPartition == 0 && p.Limits.Share == 0 {
		p.Limits.Share = 50
	}
	return p
}

func checkWhere(s *fleet.State, p fleet.RolloutPlan) *Refusal {
	switch {
	case len(p.Nodes) > mostNodes:
		return refuse(Invalid, "%s named; %d at most, or a scope", text.Counted(len(p.Nodes), "node is", "nodes are"), mostNodes)
	case len(p.Nodes) > 0 && p.Scope != "":
		return refuse(Invalid, "a rollout has a scope or names its nodes, not both")
	case len(p.Nodes) > 0:
		return checkNodes(s, p.Nodes)
	case p.Scope == "":
		return refuse(Invalid, "a rollout needs a scope (fleet, a cluster, CLUSTER/GPU or CLUSTER/GPU/ISLAND), or the names of its nodes")
	case p.Scope == "fleet":
		return nil
	}
	return checkScope(s, p.Scope)
}

func checkNodes(s *fleet.State, names []string) *Refusal {
	for _, name := range names {
		if p, _ := findNode(s, name); p == nil {
			return noNode(s, name)
		}
	}
	return nil
}

func checkBundle(s *fleet.State, p fleet.RolloutPlan) *Refusal {
	if len(p.Updates) == 0 || len(p.Updates) > mostUpdates {
		return refuse(Invalid, "a rollout brings 1 to %d updates, not %d", mostUpdates, len(p.Updates))
	}
	components := map[string]string{}
	for _, name := range p.Updates {
		u := s.Kept().Update(name)
		switch {
		case u == nil:
			return noUpdate(s, name)
		case u.Record.Withdrawn != 0:
			return refuse(WrongState, "update %q was withdrawn", name)
		case components[u.Component.Name] != "":
			return refuse(Invalid, "updates %q and %q both bring %s; a bundle has one version of a component", components[u.Component.Name], name, u.Component.Name)
		}
		components[u.Component.Name] = name
	}
	return nil
}

func checkStages(_ *fleet.State, p fleet.RolloutPlan) *Refusal {
	switch {
	case p.Canary.Nodes < 1 || p.Canary.Nodes > 100:
		return refuse(Invalid, "a canary has 1 to 100 nodes, not %d", p.Canary.Nodes)
	case p.Canary.Soak < 0 || p.Canary.Soak > 90*24*time.Hour:
		return refuse(Invalid, "a soak of %s is not possible; it is at most 90 days", p.Canary.Soak)
	case p.Waves[len(p.Waves)-1] != 1000 || !slices.IsSorted(p.Waves) || p.Waves[0] <= 0 || len(p.Waves) > 20:
		return refuse(Invalid, "waves are growing shares of the nodes, up to 20 of them, the last 100%%")
	case p.Limits.PerIsland < 1 || p.Limits.PerPartition < 0 || p.Limits.Share < 0 || p.Limits.Share > 1000:
		return refuse(Invalid, "the limits per island and per partition must let one node be visited")
	}
	return nil
}

// overlapping is an open rollout that brings something to a node of another one's scope, or nil.
func overlapping(s *fleet.State, next *fleet.Rollout) *fleet.Rollout {
	for _, o := range s.Kept().Rollouts {
		if o.Open() && o.Joined == "" && share(s, o, next) {
			return o
		}
	}
	return nil
}

func share(s *fleet.State, a, b *fleet.Rollout) bool {
	m := s.Kept()
	for _, p := range s.Partitions {
		if len(maintenance.BundleFor(m, a.Updates, p.GPU).Brings) == 0 || len(maintenance.BundleFor(m, b.Updates, p.GPU).Brings) == 0 {
			continue
		}
		for _, n := range p.Nodes {
			if a.Covers(p, n) && b.Covers(p, n) {
				return true
			}
		}
	}
	return false
}

func moveRollout(s *fleet.State, r Request, c MoveRollout, now fleet.Instant) ([]event.Event, *Refusal) {
	was := s.Kept().Rollout(c.Name)
	switch {
	case was == nil:
		return nil, NoRollout(s, c.Name)
	case c.State != fleet.RolloutPaused && c.State != fleet.RolloutRunning && c.State != fleet.RolloutAbandoned:
		return nil, refuse(Invalid, "a rollout is paused, running or abandoned by people, not %q", clip(string(c.State)))
	case was.State == c.State:
		return nil, nil
	case !was.Open() || was.Joined != "":
		return nil, refuse(WrongState, "rollout %q is %s; a new one may be started", c.Name, was.State)
	}
	next := *was
	next.State, next.By, next.Why = c.State, r.Actor.Name, r.Reason
	switch c.State {
	case fleet.RolloutRunning:
		if refusal := mayResume(s, &next, c.NotTheUpdate, now); refusal != nil {
			return nil, refusal
		}
		next.Faults = maintenance.Of(s, was, now).Failed
		if c.NotTheUpdate {
			return excuses(s, next, now), nil
		}
	case fleet.RolloutAbandoned:
		next.Ended = now
	default:
	}
	return one(event.RolloutSet{Rollout: next})
}

// excuses are the events of a rollout that runs again, where the failures of its canaries had another cause: other canaries
// are taken.
func excuses(s *fleet.State, r fleet.Rollout, now fleet.Instant) (events []event.Event) {
	rollouts, proofs := maintenance.Excuse(s, r, r.Why, now)
	for _, p := range proofs {
		events = append(events, event.ConfigurationJudged{Proof: p})
	}
	for _, o := range rollouts {
		events = append(events, event.RolloutSet{Rollout: o})
	}
	return events
}

// hunts says whether a rollout searches by itself for what fails.
func hunts(r *fleet.Rollout) bool { return r.Bisect && len(r.Updates) > 1 }

// mayResume refuses to let a rollout run again whose canary failed: it would bring what is known to fail. People may say
// that the failure had another cause, where there is one to excuse, and have to say which.
func mayResume(s *fleet.State, r *fleet.Rollout, excused bool, now fleet.Instant) *Refusal {
	t, failed := rejectedOf(s, r, now)
	switch {
	case excused && (!failed || hunts(r)):
		return refuse(Invalid, "no canary of rollout %q failed for which another cause could be said; resume it without --not-the-update", r.Name)
	case excused && r.Why == "":
		return refuse(Invalid, "say with a reason (`--reason`) what made the canary of rollout %q fail, if not the update", r.Name)
	case excused || !failed || hunts(r):
		return nil
	}
	return refuse(Unproven, "a canary of configuration %s on %s failed; abandon the rollout, and start one without the update that fails. "+
		"Where the failure had another cause, resume it with --not-the-update and a reason that says which, and another canary is taken", t.Hash, t.GPU)
}

// rejectedOf is a configuration to which a rollout leads and whose canary failed.
func rejectedOf(s *fleet.State, r *fleet.Rollout, now fleet.Instant) (maintenance.Target, bool) {
	for _, t := range maintenance.Of(s, r, now).Targets {
		if t.Verdict == fleet.Rejected {
			return t, true
		}
	}
	return maintenance.Target{}, false
}
