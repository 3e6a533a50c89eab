package core

import (
	"strings"

	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// This file says which targets work may have (semantics §4).

// checkTarget says whether a workload may have a target: it exists, has a place
// in the partition, and its access list lets the submitter in.
func checkTarget(s *fleet.State, by Actor, spec fleet.Spec, target, partition string) *Refusal {
	if partition != "" && s.Partition(partition) == nil {
		return NoPartition(s, partition)
	}
	if p, home := s.Partition(partition), spec.Home(); p != nil && home != "" && home != p.Cluster {
		return refuse(DecidedElsewhere, "its pods are made on cluster %s; it cannot run in %s", home, p.ID)
	}
	if target == fleet.Flex {
		return nil
	}
	q := s.Quota(target)
	if q == nil {
		return noTarget(s, target)
	}
	return by.barred(s, q, spec)
}

// noTarget refuses a target that is neither a quota nor flex, and says which may be meant.
func noTarget(s *fleet.State, target string) *Refusal {
	known := []string{fleet.Flex}
	for _, q := range s.Quotas {
		known = append(known, q.Path)
	}
	if s.Cluster(target) == nil && text.Nearest(target, known) == fleet.Flex {
		return refuse(NoSuchQuota, "there is no quota %q%s", clip(target), text.Meant(target, known))
	}
	return NoQuota(s, target)
}

// MayTarget says whether work of an actor may target a quota, as its submission is judged.
func MayTarget(s *fleet.State, a Actor, q *fleet.Quota, spec fleet.Spec, now fleet.Instant) bool {
	return a.resolved(s, now).barred(s, q, spec) == nil
}

// ClosedTo says of a quota without an access list why an actor may not target it; nil: it may, as
// far as that goes.
func ClosedTo(s *fleet.State, a Actor, q *fleet.Quota, now fleet.Instant) *Refusal {
	return a.resolved(s, now).closedOut(s, q, fleet.Spec{User: a.User})
}

// barred says why work of an actor may not target a quota; nil: it may.
func (a Actor) barred(s *fleet.State, q *fleet.Quota, spec fleet.Spec) *Refusal {
	if refusal := a.closedOut(s, q, spec); refusal != nil {
		return refusal
	}
	if q.Access.Allows(spec.User, spec.Groups, spec.Namespace) {
		return nil
	}
	if spec.User == "" {
		return refuse(AccessDenied, "namespace %s is not on the access list of quota %s; muster quota request %s %s asks %s", spec.Namespace, q.Path, q.Path, letsIn(spec), answerer(s, q.Path))
	}
	return refuse(AccessDenied, "user %q (namespace %s) is not on the access list of quota %s; muster quota request %s %s asks %s", spec.User, spec.Namespace, q.Path, q.Path, letsIn(spec), answerer(s, q.Path))
}

// closedOut refuses a quota without an access list to those who signed in and may not give it one, and to
// work of a cluster where people sign in.
func (a Actor) closedOut(s *fleet.State, q *fleet.Quota, spec fleet.Spec) *Refusal {
	if !q.Access.Closed(a.Principal.SignedIn() || a.ByList) || !a.ByList && a.may(access.SetAccess, access.Place{Quota: q.Path}) {
		return nil
	}
	if a.ByList {
		spec.User = ""
	}
	return refuse(AccessDenied, "quota %s has no access list, and where people sign in such a quota is closed; muster quota access %s %s opens it, by %s", q.Path, q.Path, letsIn(spec), answerer(s, q.Path))
}

// letsIn is the option of a command that puts work on an access list: by its user, else by its
// namespace, of its own cluster where that is known.
func letsIn(spec fleet.Spec) string {
	if spec.User != "" {
		return "--user " + spec.User
	}
	namespace, cluster, of := strings.Cut(spec.Namespace, "@")
	if !of {
		cluster = spec.Home()
	}
	if cluster != "" {
		cluster += "/"
	}
	return "--for-namespace " + cluster + namespace
}

// countedFor is the target of work that a cluster started by itself: the quota that it names, or flex if its
// submission would be refused that quota. It holds its nodes either way.
func (a Actor) countedFor(s *fleet.State, spec fleet.Spec) string {
	pods := Reporter
	pods.ByList = a.ByList
	if q := s.Quota(spec.Target); q != nil && pods.barred(s, q, spec) != nil {
		return fleet.Flex
	}
	return spec.Target
}

// answerer is who is to be asked about a quota.
func answerer(s *fleet.State, quota string) string {
	if owner := s.OwnerOf(quota); owner != "" {
		return owner + ", who answers for it, and the operators"
	}
	return "the operators"
}
