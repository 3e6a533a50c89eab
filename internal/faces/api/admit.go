package api

import (
	"context"
	"net/http"
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// metricsPath is what Prometheus asks for. It is no RPC, and has figures only.
const metricsPath = "/metrics"

// admit refuses a call that no role of the caller allows anywhere. Whether one reaches the
// thing in question the command or the answer judges.
func (c *caller) admit(path string) error {
	action, known := actions[path]
	if path == metricsPath || path == inventoryPath {
		action, known = access.ReadFigures, true
	}
	rule, ok := access.RuleOf(action)
	switch {
	case !known || !ok:
		return &core.Refusal{Code: core.NotOperator, Message: "no role may call " + path + ": it has no row in the table of actions"}
	case c.open(action), rule.Everybody, rule.Own, access.MaySomewhere(c.rights, action) && (!ofFleet[action] || c.may(action)):
		return nil
	}
	who, hint := c.actor.Name, ""
	if own, user, is := strings.Cut(c.actor.Name, " for user:"); is {
		who, hint = user+", for whom you act (--as),", "; without --as you act as "+own
	}
	return &core.Refusal{Code: core.NotOperator, Message: who + " is not an operator and has no role to " + Asked(path) + "; that takes " + access.Wanted(action) + hint}
}

// ofFleet are actions on what is in no scope: a webhook is the fleet's, and hears of all of it. A role in a scope does not reach them.
var ofFleet = map[access.Action]bool{access.ReadSecrets: true, access.Subscribe: true, access.ReadAudit: true}

// open says whether an action is open to a caller whatever the roles: to an operator all is;
// without a sign-in everything is that is no secret and touches no other's work.
func (c *caller) open(action access.Action) bool {
	if c.actor.Operator {
		return true
	}
	return !c.actor.Principal.SignedIn() && (action == access.SubmitWork || action == access.ReadPlans)
}

// trusted says whether a call was let in by a role, and not because everybody's is.
func (c *caller) trusted(path string) bool {
	rule, _ := access.RuleOf(actions[path])
	return c.actor.Operator || !rule.Everybody && !rule.Own
}

// may says whether the caller's roles allow an action everywhere.
func (c *caller) may(action access.Action) bool {
	return c.open(action) || access.May(c.rights, action, access.Place{})
}

// sees says whether the caller may read a workload in full: its submitter, a
// role that reaches it, and everybody where the policy says so or without a sign-in.
func (c *caller) sees(state *fleet.State, w *fleet.Workload) bool {
	return c.readsAll() || w.User == c.actor.User || access.Reads(state, c.rights, w)
}

// readsAll says whether the caller may read all work: an operator, everybody without a sign-in, and everybody
// where the policy says so now. What the policy was is no matter to who asks about the past.
func (c *caller) readsAll() bool { return c.unbounded() || c.openReading }

// unbounded says whether roles bound the caller in nothing: an operator, and everybody without a sign-in.
func (c *caller) unbounded() bool { return c.actor.Operator || !c.actor.Principal.SignedIn() }

// reads is the same of a state's work.
func (c *caller) reads(state *fleet.State) view.Sees {
	return func(w *fleet.Workload) bool { return c.sees(state, w) }
}

// seesNamespace says whether the caller may be told what a namespace does in a cluster.
func (c *caller) seesNamespace(cluster string) func(string) bool {
	return func(namespace string) bool {
		return c.readsAll() || access.May(c.rights, access.ReadWork, access.Place{Namespace: namespace, Cluster: cluster})
	}
}

// seesIn says whether the caller may be told of a workload, or of a pod that is not Muster's, by its name in
// a partition.
func (c *caller) seesIn(p *fleet.Partition) func(string) bool {
	return func(full string) bool {
		namespace, name, _ := strings.Cut(full, "/")
		if w := p.State().Workload(namespace, name); w != nil {
			return c.sees(p.State(), w)
		}
		return c.seesNamespace(p.Cluster)(namespace)
	}
}

// seesNamed is the same of a workload by its name. Of one that there is no more its namespace decides.
func (c *caller) seesNamed(state *fleet.State, namespace, name string) bool {
	if w := state.Workload(namespace, name); w != nil {
		return c.sees(state, w)
	}
	return c.seesNamespace("")(namespace)
}

// seesZone says whether the caller may read a zone: each over a part of the fleet, and of those over
// work the own ones, and those over work that the caller may read. They say its name and why it matters.
func (c *caller) seesZone(state *fleet.State, z *fleet.Zone) bool {
	return z.Workload == "" || z.By == c.actor.Name || c.seesNamed(state, z.Namespace, z.Workload)
}

// filter leaves out of records what the caller may not read; nil: nothing.
func (s *service) filter(ctx context.Context) func(event.Record) event.Record {
	if callerOf(ctx).unbounded() {
		return nil
	}
	return func(r event.Record) event.Record { return s.shown(ctx, r) }
}

// shown is a record without the events that the caller may not read; without any where all are.
func (s *service) shown(ctx context.Context, r event.Record) event.Record {
	if c := callerOf(ctx); !c.unbounded() {
		r.Events = s.heard(c, r.Events, func(event.Event) bool { return false })
	}
	return r
}

// tried is what would come of a command that was only tried, without what becomes of work that the caller may not
// read: notes count it. What is no matter of work the caller asked for.
func (s *service) tried(ctx context.Context, list []event.Event) []event.Event {
	c := callerOf(ctx)
	if c.readsAll() {
		return list
	}
	own := map[uint64]bool{} // submitted by what was tried, so the state has none of it
	for _, e := range list {
		if made, is := e.(event.WorkloadSubmitted); is {
			own[made.ID] = true
		}
	}
	return s.heard(c, list, func(e event.Event) bool {
		id := workloadOf(e)
		_, names := namesWork(e)
		return own[id] || id == 0 && !names
	})
}

// heard are those of some events that the caller hears, or that are the caller's own, as the caller reads them.
func (s *service) heard(c *caller, list []event.Event, own func(event.Event) bool) (kept []event.Event) {
	s.engine.Look(func(state *fleet.State) {
		full := c.openReading || access.May(c.rights, access.ReadEvents, access.Place{})
		for _, e := range list {
			if own(e) || c.hears(state, e, full) {
				kept = append(kept, c.told(state, e, full))
			}
		}
	})
	return kept
}

// hears says whether the caller may read an event.
func (c *caller) hears(state *fleet.State, e event.Event, full bool) bool {
	switch e := e.(type) {
	case event.RoleGranted, event.RoleRevoked, event.TokenMade, event.TokenRevoked:
		return c.may(access.ReadBindings)
	case event.SessionsEnded:
		return e.SignOff.User == c.actor.User || c.may(access.ReadBindings)
	case event.ZoneSet:
		return full || c.seesZone(state, &e.Zone)
	case event.SubscriptionSet:
		return c.may(access.ReadSecrets)
	case event.HaircutPlanned, event.HaircutDeleted, event.HaircutTold, event.HaircutApplied, event.HaircutUndone, event.ProposalMade, event.ProposalEnded:
		return full || c.may(access.ReadPlans)
	case event.WorkloadSubmitted:
		return full || c.sees(state, &fleet.Workload{Spec: e.Spec})
	}
	if at, names := namesWork(e); names && !full {
		return access.May(c.rights, access.ReadWork, at)
	}
	id := workloadOf(e)
	if id == 0 || full {
		return true
	}
	w := state.Workloads[id]
	return w != nil && c.sees(state, w)
}

// told is an event as the caller reads it: quotas are open, and of a hold for one workload its name is not. Nor is that of a
// workload that a burst points to.
func (c *caller) told(state *fleet.State, e event.Event, full bool) event.Event {
	if full {
		return e
	}
	switch e := e.(type) {
	case event.HoldPlaced:
		if e.Hold.Work != "" && !c.seesNamed(state, e.Hold.Namespace, e.Hold.Work) {
			e.Hold.Work = ""
		}
		return e
	case event.BurstAccused:
		if p := state.Partition(e.Partition); p != nil {
			e.Burst.Accuses = wire.PointsTo(&e.Burst, c.seesIn(p))
		}
		return e
	}
	return e
}

// hideHeld takes the names of work that the caller may not read from the holds of quotas.
func (c *caller) hideHeld(state *fleet.State, list []*musterv1.Quota) {
	for _, q := range list {
		for _, h := range q.GetHolds() {
			if h.GetWorkload() != "" && !c.seesNamed(state, h.GetNamespace(), h.GetWorkload()) {
				h.Workload = ""
			}
		}
	}
}

// workloadOf is the workload that an event is about or says something of; 0: none.
func workloadOf(e event.Event) uint64 {
	switch e := e.(type) {
	case event.UsageMeasured:
		return e.Workload
	case event.FailureExplained:
		return e.Workload
	}
	return event.Workload(e)
}

// namesWork says which events name work or pods without being about one workload, and where that is.
func namesWork(e event.Event) (at access.Place, names bool) {
	switch e := e.(type) {
	case event.FitObserved:
		at.Cluster, _, names = strings.Cut(e.Partition, "/")
	case event.GrantEnding:
		at.Quota, names = e.Quota, true
	}
	return at, names
}

// sourceOf is where a request comes from, for the audit log: behind a proxy, who asked the proxy.
func sourceOf(r *http.Request) string {
	if from := forwarded(r.Context()); from != "" {
		return from
	}
	if p := peerOf(r.Context()); p != nil {
		return p.remote
	}
	return r.RemoteAddr
}
