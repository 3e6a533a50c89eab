package core

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Commands about who is told of what.
type (
	// Subscribe sets a subscription; By and Since are the caller and now. Only
	// operators may, since the server itself calls the URL.
	Subscribe struct{ Subscription fleet.Subscription }
	// Unsubscribe ends a subscription.
	Unsubscribe struct{ Name string }
)

func (Subscribe) command()   {}
func (Unsubscribe) command() {}

func subscribe(s *fleet.State, r Request, c Subscribe, now fleet.Instant) ([]event.Event, *Refusal) {
	sub := c.Subscription
	for _, check := range []*Refusal{checkSubscriptionName(sub.Name), checkURL(sub.URL), checkKinds(sub), checkAbout(s, sub), checkCluster(s, sub)} {
		if check != nil {
			return nil, check
		}
	}
	slices.Sort(sub.Kinds)
	sub.Kinds = slices.Compact(sub.Kinds)
	sub.By, sub.Since = r.Actor.Name, now
	return one(event.SubscriptionSet{Subscription: sub})
}

func unsubscribe(s *fleet.State, c Unsubscribe) ([]event.Event, *Refusal) {
	if s.Subscription(c.Name) == nil {
		return nil, refuse(NoSuchSubscription, "there is no subscription %q", c.Name)
	}
	return one(event.SubscriptionEnded(c))
}

var subscriptionName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$`)

func checkSubscriptionName(name string) *Refusal {
	if !subscriptionName.MatchString(name) {
		return refuse(Invalid, "%.80q cannot name a subscription: write lower-case letters, digits, dots and dashes, 63 at most", name)
	}
	return nil
}

// checkURL takes https, and plain http to this machine only: what is told names
// people's work.
func checkURL(text string) *Refusal {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return refuse(Invalid, "the URL is none to call; write https://HOST/PATH") // without it: messages are shown and logged
	case len(text) > 2048:
		return refuse(Invalid, "the URL has %d bytes; 2048 are the most", len(text))
	case u.User != nil:
		return refuse(Invalid, "the URL carries a user name; the calls are signed instead")
	case u.Scheme == "http" && !slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, u.Hostname()):
		return refuse(Invalid, "http://%s would send this unprotected over a network; write https", u.Host)
	}
	return nil
}

func checkKinds(sub fleet.Subscription) *Refusal {
	for _, k := range sub.Kinds {
		switch {
		case !slices.Contains(fleet.NoticeKinds(), k):
			return refuse(Invalid, "%.40q is no kind of notice; there are %s", k, listed(fleet.NoticeKinds()))
		case sub.IsLife() && !k.IsLife():
			return refuse(Invalid, "kind %s is not about clusters that are built; a subscription about a cluster or an owner is told %s", k, listed(fleet.LifeNoticeKinds()))
		case k.IsLife() && !sub.IsLife() && !sub.IsFleet():
			return refuse(Invalid, "kind %s is about clusters that are built, not about %s; name a cluster or an owner instead, or neither for all clusters", k, sub.About())
		}
	}
	return nil
}

// listed names all things that are possible.
func listed[T ~string](kinds []T) string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = string(k)
	}
	return strings.Join(names, ", ")
}

// checkCluster: an owner may have no cluster yet, but a cluster must have its record.
func checkCluster(s *fleet.State, sub fleet.Subscription) *Refusal {
	switch {
	case len(sub.Owner) > longestOwner:
		return refuse(Invalid, "the owner has %d bytes; %d are the most", len(sub.Owner), longestOwner)
	case sub.Cluster != "" && s.Life(sub.Cluster) == nil:
		return refuse(NoSuchCluster, "no cluster %q is planned or was built here; muster cluster list lists them", clip(sub.Cluster))
	}
	return nil
}

// longestOwner is how long the owner of clusters may be.
const longestOwner = 253

func checkAbout(s *fleet.State, sub fleet.Subscription) *Refusal {
	about := 0
	for _, name := range []string{sub.Quota, sub.Namespace, sub.Workload, sub.Cluster, sub.Owner} {
		if name != "" {
			about++
		}
	}
	at := max(0, strings.LastIndex(sub.Workload, "/"))
	switch {
	case about > 1:
		return refuse(Invalid, "a subscription is about one quota, namespace, workload, cluster or owner, not several")
	case sub.Quota != "" && s.Quota(sub.Quota) == nil:
		return refuse(NoSuchQuota, "there is no quota %q; muster quota list shows those there are", sub.Quota)
	case sub.Workload != "" && (at == 0 || s.Workload(sub.Workload[:at], sub.Workload[at+1:]) == nil):
		return refuse(NoSuchWorkload, "there is no workload %q; write NAMESPACE/NAME", sub.Workload)
	}
	return nil
}
