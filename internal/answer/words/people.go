package words

import (
	"fmt"
	"strconv"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// tellPeople says what people do with quotas, and what backs them.
func tellPeople(e event.Event, _ Names) (Told, bool) {
	switch e := e.(type) {
	case event.QuotaCreated:
		return Told{Quota, e.Quota, "is created, " + Access(e.Access, 4)}, true
	case event.QuotaDeleted:
		return Told{Quota, e.Quota, "is deleted"}, true
	case event.AccessSet:
		return Told{Quota, e.Quota, "is now " + Access(e.Access, 4)}, true
	case event.QuotaOwned:
		if e.Owner == "" {
			return Told{Quota, e.Quota, "has no owner any more"}, true
		}
		return Told{Quota, e.Quota, "is owned by " + e.Owner}, true
	case event.GrantSet:
		return Told{Quota, e.Quota, grant(e)}, true
	case event.GrantEnding:
		return Told{Quota, e.Quota, fmt.Sprintf("has %s of %s only until %s%s", Count(e.GPUs, "GPU"), e.Partition, weekday(e.Until), losers(e.Work))}, true
	case event.GrantEnded:
		return Told{Quota, e.Quota, fmt.Sprintf("no longer has %s of %s, granted until %s; %s are left", Count(e.Ended.GPUs, "GPU"), e.Partition, weekday(e.Ended.Until), Count(e.GPUs, "GPU"))}, true
	case event.GrantTransferred:
		return Told{Quota, e.From, fmt.Sprintf("gives %s of %s to %s", Count(e.GPUs, "GPU"), e.Partition, e.To)}, true
	case event.HoldPlaced:
		return Told{Quota, e.Hold.Quota, hold(e.Hold)}, true
	case event.HoldEnded:
		says := fmt.Sprintf("ends: %s", e.Why)
		if e.Left > 0 {
			says = fmt.Sprintf("is %s in part; %s left", e.Why, Count(e.Left, "GPU"))
		}
		return Told{Other, "hold " + strconv.FormatUint(e.ID, 10), says}, true
	case event.BackingAligned:
		return Told{Partition, e.Partition, aligned(e)}, true
	}
	return tellAsked(e)
}

func tellAsked(e event.Event) (Told, bool) {
	request := func(id uint64, format string, args ...any) (Told, bool) {
		return Told{Request, "request " + strconv.FormatUint(id, 10), fmt.Sprintf(format, args...)}, true
	}
	switch e := e.(type) {
	case event.RequestMade:
		if r := e.Request; r.GPUs > 0 {
			return request(r.ID, "asks for %s more of %s for %s%s", Count(r.GPUs, "GPU"), r.Partition, r.Quota, because(r.Reason))
		}
		return request(e.Request.ID, "asks to be let into %s%s", e.Request.Quota, because(e.Request.Reason))
	case event.RequestOffered:
		return request(e.ID, "is offered %s by %s", Count(e.Offer.GPUs, "GPU"), e.Offer.From)
	case event.RequestEnded:
		return request(e.ID, "is %s by %s%s", e.State, e.By, because(e.Answer))
	case event.RoleGranted:
		b := e.Binding
		says := fmt.Sprintf("has role %s in %s%s", b.Role, b.Scope, because(b.Reason))
		if b.Sealed {
			says = "breaks the glass and is an admin for an hour" + because(b.Reason)
		}
		return Told{Other, b.Subject.String(), says}, true
	case event.RoleRevoked:
		return Told{Other, e.Subject.String(), fmt.Sprintf("no longer has role %s in %s", e.Role, e.Scope)}, true
	case event.TokenMade:
		return Told{Other, "token " + e.Token.ID, "is made for service account " + e.Token.Account}, true
	case event.TokenRevoked:
		return Told{Other, "token " + e.ID, "is revoked"}, true
	case event.SessionsEnded:
		if e.SignOff.Session != "" {
			return Told{Other, "user:" + e.SignOff.User, "must sign in again: the sign-in " + e.SignOff.Session + " is ended"}, true
		}
		return Told{Other, "user:" + e.SignOff.User, "must sign in again: all sign-ins are ended"}, true
	case event.ProposalMade:
		p := e.Proposal
		return Told{Other, "proposal " + strconv.FormatUint(p.ID, 10), fmt.Sprintf("waits for a second person: %s would %s%s", p.By, p.Says, because(p.Reason))}, true
	case event.ProposalEnded:
		return Told{Other, "proposal " + strconv.FormatUint(e.ID, 10), fmt.Sprintf("of %s is %s by %s%s", e.ProposedBy, e.State, e.By, because(e.Answer))}, true
	case event.SubscriptionSet:
		return Told{Other, e.Subscription.Name, "is subscribed: it is told of what happens"}, true
	case event.SubscriptionEnded:
		return Told{Other, e.Name, "is no longer subscribed"}, true
	}
	return Told{}, false
}

// weekday is a moment with its day of the week, in UTC.
func weekday(at fleet.Instant) string { return text.Weekday(at.Time()) }

// losers names the work that the end of a grant would leave unprotected.
func losers(list []fleet.Touched) string {
	if len(list) == 0 {
		return ""
	}
	var names []string
	for _, w := range list {
		names = append(names, fmt.Sprintf("%s (%s)", w.Workload, Count(w.GPUs, "GPU")))
	}
	return "; then unprotected: " + Few(names, 3)
}

func grant(e event.GrantSet) string {
	says := fmt.Sprintf("is granted %s of %s (was %d)", Count(e.GPUs, "GPU"), e.Partition, e.Was)
	switch {
	case e.None:
		return fmt.Sprintf("has no grant of %s any more (was %d)", e.Partition, e.Was)
	case e.Was == 0:
		says = fmt.Sprintf("is granted %s of %s", Count(e.GPUs, "GPU"), e.Partition)
	case e.GPUs == e.Was:
		says = fmt.Sprintf("keeps its grant of %s of %s", Count(e.GPUs, "GPU"), e.Partition)
	case e.GPUs == 0:
		says = fmt.Sprintf("loses its grant of %s of %s", Count(e.Was, "GPU"), e.Partition)
	}
	if e.Gang > 0 {
		says += fmt.Sprintf(", with a gang of %d", e.Gang)
	}
	if e.Overcommit {
		says += ", overcommitted on purpose"
	}
	return says + Ends(e.Temporary, e.WasTemporary)
}

// Ends says what of a grant ends and when, where that is new; "" where it is as it was.
func Ends(is, was fleet.Temporary) string {
	switch {
	case is.GPUs == was.GPUs && is.Until == was.Until:
		return ""
	case is.GPUs == 0:
		return fmt.Sprintf("; the %s until %s end now", Count(was.GPUs, "GPU"), weekday(was.Until))
	case was.GPUs == 0:
		return fmt.Sprintf(", %d of them until %s", is.GPUs, weekday(is.Until))
	}
	return fmt.Sprintf(", %d of them until %s (before: %d until %s)", is.GPUs, weekday(is.Until), was.GPUs, weekday(was.Until))
}

func hold(h fleet.Hold) string {
	says := fmt.Sprintf("has %s of %s held", Count(h.GPUs, "GPU"), h.Partition)
	if h.Inside() {
		says += " for " + h.Holder()
	}
	return says + " until " + day(h.Until)
}

// aligned says what backs quotas now.
func aligned(e event.BackingAligned) string {
	says := fmt.Sprintf("can promise %s", Count(e.Promisable, "node"))
	if e.Unsustained > 0 {
		says += fmt.Sprintf(" (%d over 28 days)", e.Promisable-e.Unsustained)
	}
	var parts []string
	for _, b := range e.Backing {
		parts = append(parts, fmt.Sprintf("%s has %d on %s", b.Quota, b.Nodes, b.Island))
	}
	if len(parts) > 0 {
		says += "; " + Few(parts, 3)
	}
	for _, g := range e.Gangs {
		if g.Missing > 0 {
			says += fmt.Sprintf("; the gang of %s lacks %d in %s", g.Quota, g.Missing, g.Island)
		}
	}
	return says
}

// ReasonGiven says the reason that people gave for a change, or that they gave none.
func ReasonGiven(reason string) string {
	if reason == "" {
		return "no reason given"
	}
	return "reason: " + reason
}
