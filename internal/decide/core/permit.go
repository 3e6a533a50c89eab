package core

import (
	"strings"

	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// resolved is the actor with all rights that the state gives it.
func (a Actor) resolved(s *fleet.State, now fleet.Instant) Actor {
	if !a.looked && !a.Operator {
		a.rights = access.Rights(s, access.Who{Principal: a.Principal, Groups: a.Groups, Brings: a.Brings}, now)
	}
	a.looked = true
	return a
}

// may says whether the actor's roles allow an action at a place.
func (a Actor) may(action access.Action, at access.Place) bool {
	return a.Operator || access.May(a.rights, action, at)
}

// permitted refuses a command that the actor's roles do not allow where it would act. Of
// what depends on whose a thing is, its decision judges.
func permitted(s *fleet.State, r *Request, action access.Action) *Refusal {
	rule, _ := access.RuleOf(action)
	if r.Actor.Operator || rule.Everybody || rule.Own {
		return nil
	}
	if action == access.SubmitWork && !r.Actor.Principal.SignedIn() {
		return nil // without a sign-in namespaces are a matter of tidiness
	}
	for _, at := range places(s, r.Command) {
		if refusal := r.Actor.lacks(actionAt(r.Command, action), at); refusal != nil {
			return refusal
		}
	}
	return nil
}

// lacks refuses what no role of the actor allows at a place; nil: one does.
func (a Actor) lacks(action access.Action, at access.Place) *Refusal {
	rule, _ := access.RuleOf(action)
	switch {
	case access.May(a.rights, action, at):
		return nil
	case !access.MaySomewhere(a.rights, action):
		return refuse(NotOperator, "only operators can do this, and people with the role %s: %s may not %s; muster role grant gives a role", access.Wanted(action), a.Name, rule.Means)
	}
	return refuse(AccessDenied, "no role of %s reaches %s, where it takes %s to %s", a.Name, placeText(at), access.Wanted(action), rule.Means)
}

func placeText(at access.Place) string {
	var parts []string
	for _, part := range []fleet.Scope{{Namespace: at.Namespace}, {Quota: at.Quota}, {Cluster: at.Cluster}} {
		if part != (fleet.Scope{}) {
			parts = append(parts, part.String())
		}
	}
	if len(parts) == 0 {
		return "the whole fleet"
	}
	return clip(strings.Join(parts, ", "))
}

// actionAt is the action of a command, where the row alone does not say it.
func actionAt(c Command, action access.Action) access.Action {
	if hold, ok := c.(PlaceHold); ok && hold.User == "" && hold.Namespace == "" {
		return access.ManageQuota // it takes what is free from everybody
	}
	return action
}

// places are where a command would act. One that acts nowhere in particular acts on the
// whole fleet.
func places(s *fleet.State, c Command) []access.Place {
	switch c := c.(type) {
	case Submit:
		return []access.Place{{Namespace: c.Spec.Namespace}}
	case AddCluster:
		return inCluster(c.Name)
	case AddPartition:
		return inCluster(c.Cluster)
	case AddIslands:
		return inCluster(c.Partition)
	case SetMode:
		return inCluster(c.Cluster)
	case PlanCluster:
		return inCluster(c.Record.Name)
	case ChangeCluster:
		return inCluster(c.Record.Name)
	case CheckIn:
		return inCluster(c.Cluster)
	case SteerCluster:
		return inCluster(c.Cluster)
	case ResetBreaker:
		return inCluster(c.Partition)
	case JudgeBurst:
		return inCluster(c.Partition)
	case SetNodes:
		return ofNodes(s, c.Names)
	case ReleaseNodes:
		return ofNodes(s, c.Names)
	case RecordValidation:
		return ofNodes(s, []string{c.Node})
	case TakeSignals:
		names := make([]string, len(c.Signals))
		for i := range c.Signals {
			names[i] = c.Signals[i].Node
		}
		return ofNodes(s, names)
	case MeasureUsage:
		return ofMeasured(s, c)
	}
	return placesOfVisits(s, c)
}

// placesOfVisits are where planned work would be.
func placesOfVisits(s *fleet.State, c Command) []access.Place {
	switch c := c.(type) {
	case StartRollout:
		return inScope(s, c.Plan.Scope, c.Plan.Nodes)
	case MoveRollout:
		if r := s.Kept().Rollout(c.Name); r != nil {
			return inScope(s, r.Scope, r.Nodes)
		}
	case AddNotice:
		return ofNodes(s, c.Nodes)
	case CancelNotice:
		if o := s.Kept().Notice(c.Name); o != nil {
			return ofNodes(s, o.Nodes)
		}
	case ReportVisit:
		return ofNodes(s, []string{c.Node})
	case ObserveRuns:
		return ofNodes(s, []string{c.Node})
	}
	return placesOfPeople(s, c)
}

func placesOfPeople(s *fleet.State, c Command) []access.Place {
	switch c := c.(type) {
	case CreateQuota:
		return inQuota(c.Path)
	case DeleteQuota:
		return inQuota(c.Path)
	case SetAccess:
		return inQuota(c.Path)
	case SetOwner:
		return inQuota(c.Path)
	case SetGrant:
		return inQuota(c.Quota)
	case Transfer:
		return append(inQuota(c.From), inQuota(c.To)...)
	case PlaceHold:
		return inQuota(c.Quota)
	case ReleaseHold:
		for _, h := range s.Holds {
			if h.ID == c.ID {
				return inQuota(h.Quota)
			}
		}
	case OpenIncident:
		return inScope(s, c.Scope, c.Nodes)
	case UpdateIncident:
		return placesOfIncident(s, c.Name)
	case CloseIncident:
		return placesOfIncident(s, c.Name)
	}
	return []access.Place{{}}
}

func inQuota(path string) []access.Place { return []access.Place{{Quota: path}} }

// inCluster is the cluster of a scope: cluster, cluster/gpu or cluster/gpu/island.
func inCluster(scope string) []access.Place {
	cluster, _, _ := strings.Cut(scope, "/")
	return []access.Place{{Cluster: cluster}}
}

// ofNodes are the clusters of nodes, each once; an unknown node is nowhere.
func ofNodes(s *fleet.State, names []string) []access.Place {
	return inClusters(names, func(name string) string {
		if p, _ := findNode(s, name); p != nil {
			return p.Cluster
		}
		return ""
	})
}

// ofMeasured are the clusters where the workloads of a report stand.
func ofMeasured(s *fleet.State, c MeasureUsage) []access.Place {
	return inClusters(c.Of, func(m Measured) string {
		w := s.Workload(m.Namespace, m.Name)
		if w == nil {
			return ""
		}
		cluster, _, _ := strings.Cut(w.Where, "/")
		return cluster
	})
}

// inClusters are the clusters of what a command names, each once.
func inClusters[T any](list []T, clusterOf func(T) string) (places []access.Place) {
	seen := map[string]bool{}
	for _, x := range list {
		if cluster := clusterOf(x); !seen[cluster] {
			seen[cluster] = true
			places = append(places, access.Place{Cluster: cluster})
		}
	}
	if places == nil {
		return []access.Place{{}}
	}
	return places
}

// inScope is where an incident is: its scope's cluster, else those of its nodes.
func inScope(s *fleet.State, scope string, nodes []string) []access.Place {
	if scope != "" {
		return inCluster(scope)
	}
	return ofNodes(s, nodes)
}

func placesOfIncident(s *fleet.State, name string) []access.Place {
	for _, i := range s.Incidents {
		if i.Name == name {
			return inScope(s, i.Scope, i.Nodes)
		}
	}
	return []access.Place{{}}
}

// checkCeiling refuses work that is more important than the submitter's roles in the
// namespace allow, and than it was.
func checkCeiling(by Actor, namespace string, p, was fleet.Priority) *Refusal {
	if by.Operator || !by.Principal.SignedIn() {
		return nil
	}
	if most := min(was, access.Ceiling(by.rights, namespace)); p < most {
		return refuse(AccessDenied, "priority %v is above what %s may give work of namespace %s, which is %v; who leads it may, and an admin raises it: muster role grant --highest", p, by.Name, namespace, most)
	}
	return nil
}
