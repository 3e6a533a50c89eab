package fleet

import (
	"slices"
	"strings"
)

// NoticeKind says what a notice is about.
type NoticeKind string

// The kinds of notices.
const (
	NoticeEvicted  NoticeKind = "evicted"  // work must leave for other work
	NoticeMended   NoticeKind = "mended"   // a gang lost nodes and got others, or could not and went back to its queue
	NoticeCut      NoticeKind = "cut"      // a grant became smaller
	NoticeUnbacked NoticeKind = "unbacked" // a quota's backing fell below its grant: a promise is broken
	NoticeIncident NoticeKind = "incident" // an incident opened or closed
	NoticeBreaker  NoticeKind = "breaker"  // automatic quarantine stopped, and waits for a person
	NoticePlanned  NoticeKind = "planned"  // planned work was announced, moved, begins or ended
	NoticeDeadline NoticeKind = "deadline" // the visits that remain take longer than until a deadline

	NoticePerson     NoticeKind = "person"     // a cluster that is built waits for a person
	NoticeLate       NoticeKind = "late"       // a cluster that is built is past the p90 of what it waits for
	NoticeProduction NoticeKind = "production" // a cluster is in production
	NoticeDegraded   NoticeKind = "degraded"   // a cluster in production lost a condition, or holds all of them again
)

// NoticeKinds lists every kind.
func NoticeKinds() []NoticeKind {
	kinds := []NoticeKind{NoticeEvicted, NoticeMended, NoticeCut, NoticeUnbacked, NoticeIncident, NoticeBreaker, NoticePlanned, NoticeDeadline}
	return append(kinds, LifeNoticeKinds()...)
}

// LifeNoticeKinds lists the kinds about clusters that are built (cluster-life.md).
func LifeNoticeKinds() []NoticeKind {
	return []NoticeKind{NoticePerson, NoticeLate, NoticeProduction, NoticeDegraded}
}

// IsLife says whether the kind is about clusters that are built.
func (k NoticeKind) IsLife() bool { return slices.Contains(LifeNoticeKinds(), k) }

// Subscription is a person's wish to be told, as signed webhooks to a URL. It is
// about one quota and those under it, one namespace (a team), one workload, the life
// of one cluster, the clusters of one owner, or the whole fleet, where all are empty.
type Subscription struct {
	Name      string       `json:"name"`
	URL       string       `json:"url"`
	Quota     string       `json:"quota,omitempty"`
	Namespace string       `json:"namespace,omitempty"`
	Workload  string       `json:"workload,omitempty"` // as namespace/name
	Kinds     []NoticeKind `json:"kinds,omitempty"`    // none: all
	By        string       `json:"by"`                 // who set it
	Since     Instant      `json:"since"`
	Cluster   string       `json:"cluster,omitempty"` // whose life it is about
	Owner     string       `json:"owner,omitempty"`   // about the lives of the clusters whose records name this owner
}

// IsFleet says whether the subscription is about the whole fleet.
func (s *Subscription) IsFleet() bool {
	return s.Quota == "" && s.Namespace == "" && s.Workload == "" && !s.IsLife()
}

// IsLife says whether the subscription is about clusters that are built alone.
func (s *Subscription) IsLife() bool { return s.Cluster != "" || s.Owner != "" }

// Wants says whether a kind of notice is asked for.
func (s *Subscription) Wants(k NoticeKind) bool {
	return len(s.Kinds) == 0 || slices.Contains(s.Kinds, k)
}

// About says in words what it is about.
func (s *Subscription) About() string {
	switch {
	case s.Workload != "":
		return "workload " + s.Workload
	case s.Namespace != "":
		return "namespace " + s.Namespace
	case s.Quota != "":
		return "quota " + s.Quota
	case s.Cluster != "":
		return "cluster " + s.Cluster
	case s.Owner != "":
		return "the clusters of " + s.Owner
	}
	return "the fleet"
}

// Covers says whether something that happened to a quota, or to a workload, is
// what the subscription is about. What names no person (an incident)
// goes to all who asked for its kind.
func (s *Subscription) Covers(quota, workload string) bool {
	switch {
	case s.IsLife():
		return false
	case quota == "" && workload == "":
		return true
	case s.Workload != "":
		return workload == s.Workload
	case s.Namespace != "":
		return strings.HasPrefix(workload, s.Namespace+"/")
	case s.Quota != "":
		return under(quota, s.Quota)
	}
	return true
}

// CoversLife says whether what happens to a cluster that is built, of this owner, is what
// the subscription is about. Owners are written by hand, so case does not count.
func (s *Subscription) CoversLife(cluster, owner string) bool {
	switch {
	case s.Cluster != "":
		return cluster == s.Cluster
	case s.Owner != "":
		return strings.EqualFold(owner, s.Owner)
	}
	return s.IsFleet()
}

// Subscription finds a subscription by name, or nil.
func (s *State) Subscription(name string) *Subscription {
	if i, ok := s.subscriptionAt(name); ok {
		return s.Subscriptions[i]
	}
	return nil
}

// SetSubscription adds a subscription, or replaces the one of its name.
func (s *State) SetSubscription(sub Subscription) {
	if i, ok := s.subscriptionAt(sub.Name); ok {
		s.Subscriptions[i] = &sub
	} else {
		s.Subscriptions = slices.Insert(s.Subscriptions, i, &sub)
	}
}

// RemoveSubscription takes a subscription away.
func (s *State) RemoveSubscription(name string) {
	if i, ok := s.subscriptionAt(name); ok {
		s.Subscriptions = slices.Delete(s.Subscriptions, i, i+1)
	}
}

func (s *State) subscriptionAt(name string) (int, bool) {
	return slices.BinarySearchFunc(s.Subscriptions, name, func(sub *Subscription, n string) int { return strings.Compare(sub.Name, n) })
}
