package core

import (
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// Commands about quota requests. Everybody may ask; owners offer what is theirs;
// operators answer, and of access the quota's owner does too.
type (
	// RequestQuota asks for more GPUs of a partition for a quota.
	RequestQuota struct {
		Quota, Partition string
		GPUs             int
		Until            fleet.Instant // when they end by themselves; 0: never
	}
	// RequestAccess asks that a user, group or namespace may target a quota.
	RequestAccess struct {
		Quota  string
		Access fleet.Access
	}
	// OfferQuota agrees that a quota gives GPUs for a request.
	OfferQuota struct {
		ID   uint64
		From string
		GPUs int
	}
	// AnswerRequest grants or declines a request. What is granted is done in the
	// same step: offers are transferred, the rest is granted from what is unallocated.
	AnswerRequest struct {
		ID    uint64
		Grant bool
	}
	// WithdrawRequest takes a request back.
	WithdrawRequest struct{ ID uint64 }
)

func (RequestQuota) command()    {}
func (RequestAccess) command()   {}
func (OfferQuota) command()      {}
func (AnswerRequest) command()   {}
func (WithdrawRequest) command() {}

func requestQuota(s *fleet.State, r Request, c RequestQuota, now fleet.Instant) ([]event.Event, *Refusal) {
	p, refusal := placeOf(s, c.Quota, c.Partition)
	if refusal != nil {
		return nil, refusal
	}
	if c.GPUs <= 0 {
		return nil, refuse(Invalid, "a request for %s; ask for how many more are needed", text.Count(c.GPUs, "GPU"))
	}
	if installed := p.Tally().Installed; c.GPUs > installed {
		return nil, refuse(Invalid, "a request for %s; all of %s has %s", text.Count(c.GPUs, "GPU"), p.ID, text.Group(installed)).with(map[string]int{"gpus": c.GPUs, "installed": installed})
	}
	if c.Until != 0 && c.Until <= now {
		return nil, refuse(Invalid, "a request until %s would have ended already; name a moment to come", momentText(c.Until))
	}
	return newRequest(s, r, fleet.QuotaRequest{Quota: c.Quota, Partition: c.Partition, GPUs: c.GPUs, Until: c.Until}, now)
}

func requestAccess(s *fleet.State, r Request, c RequestAccess, now fleet.Instant) ([]event.Event, *Refusal) {
	q := s.Quota(c.Quota)
	if q == nil {
		return nil, NoQuota(s, c.Quota)
	}
	if refusal := checkAccess(c.Access); refusal != nil {
		return nil, refusal
	}
	names := len(c.Access.Users) + len(c.Access.Groups) + len(c.Access.Namespaces)
	switch {
	case names > mostAskedFor:
		return nil, refuse(Invalid, "the request names %s; at most %d are let in by one, so name a group, or have the quota's owner set its access list", text.Count(names, "name"), mostAskedFor)
	case c.Access.Unlisted():
		return nil, refuse(Invalid, "the request names no user, group or namespace to let into %s; name one", c.Quota)
	case q.Access.Open(r.Actor.Principal.SignedIn()):
		return nil, refuse(NothingToDo, "%s is open to everyone already", c.Quota)
	}
	return newRequest(s, r, fleet.QuotaRequest{Quota: c.Quota, Access: &c.Access}, now)
}

// What one person may ask for who does not answer requests there: all requests stand in the log for ever, and the last
// of all people in the state.
const (
	mostAskedFor = 100 // names in a request for access
	mostAsked    = 50  // requests in askedWindow
	askedWindow  = 24 * time.Hour
)

// askedBy is how many requests a person has made since a moment, as far as the state remembers them.
func askedBy(s *fleet.State, by string, since fleet.Instant) (n int) {
	for _, q := range s.Requests {
		if q.By == by && q.At >= since {
			n++
		}
	}
	return n
}

// newRequest is a request as it begins. The same is not asked twice by the same person.
func newRequest(s *fleet.State, r Request, q fleet.QuotaRequest, now fleet.Instant) ([]event.Event, *Refusal) {
	if n := askedBy(s, r.Actor.Name, now.Add(-askedWindow)); n >= mostAsked && !r.Actor.may(access.AnswerQuota, access.Place{Quota: q.Quota}) {
		return nil, refuse(WrongState, "%s has made %s within a day, as many as one person may; ask for more in one of them, or ask a manager", r.Actor.Name, text.Count(n, "request"))
	}
	for _, old := range s.Requests {
		if old.State == fleet.RequestOpen && old.By == r.Actor.Name && old.Quota == q.Quota && old.Partition == q.Partition && (old.Access == nil) == (q.Access == nil) {
			return nil, refuse(NameTaken, "request %d of %s for %s is still open; withdraw it to ask for something else", old.ID, old.By, q.Quota)
		}
	}
	q.ID, q.State, q.At = s.LastRequest+1, fleet.RequestOpen, now
	q.By, q.User, q.Reason = r.Actor.Name, r.Actor.User, r.Reason
	return one(event.RequestMade{Request: q})
}

// openRequest finds a request that has no answer yet.
func openRequest(s *fleet.State, id uint64) (*fleet.QuotaRequest, *Refusal) {
	q := s.Request(id)
	switch {
	case q == nil:
		return nil, refuse(NoSuchRequest, "there is no request %d", id)
	case q.State != fleet.RequestOpen:
		return nil, refuse(Stale, "request %d was %s by %s", id, q.State, q.AnsweredBy)
	}
	return q, nil
}

// owns says whether a person answers for a quota: its owner in person, one of
// the owning group, or whose role allows the action there.
func owns(s *fleet.State, by Actor, quota string, action access.Action) bool {
	owner := s.OwnerOf(quota)
	return by.may(action, access.Place{Quota: quota}) || owner != "" && (owner == by.User || slices.Contains(by.Groups, owner))
}

func offerQuota(s *fleet.State, r Request, c OfferQuota, now fleet.Instant) ([]event.Event, *Refusal) {
	q, refusal := openRequest(s, c.ID)
	if refusal != nil {
		return nil, refusal
	}
	if q.GPUs == 0 {
		return nil, refuse(WrongState, "request %d asks for access, not for GPUs", c.ID)
	}
	if q.Until != 0 {
		return nil, refuse(WrongState, "request %d asks for GPUs until %s, and what is offered moves for good; it is granted from what is unallocated, or transfer GPUs by hand", c.ID, momentText(q.Until))
	}
	p, refusal := placeOf(s, c.From, q.Partition)
	if refusal != nil {
		return nil, refusal
	}
	if !owns(s, r.Actor, c.From, access.OfferQuota) {
		return nil, refuse(AccessDenied, "%s does not answer for %s, whose owner is %s", r.Actor.Name, c.From, orNobody(s.OwnerOf(c.From)))
	}
	has, rest := 0, q.GPUs-q.Offered()
	if a := p.Account(c.From); a != nil {
		has = a.Lasting()
	}
	for _, o := range q.Offers {
		if o.From == c.From {
			has -= o.GPUs
		}
	}
	if c.GPUs <= 0 || c.GPUs > has || c.GPUs > rest || c.From == q.Quota {
		return nil, refuse(Invalid, "%s of %s cannot be offered for request %d: %s has %s in %s, and %s are still asked for", text.Count(c.GPUs, "GPU"), c.From, c.ID, c.From, text.Group(has), p.ID, text.Group(rest)).
			with(map[string]int{"assigned": has, "gpus": c.GPUs, "wanted": rest})
	}
	return one(event.RequestOffered{ID: c.ID, Offer: fleet.Offer{From: c.From, GPUs: c.GPUs, By: r.Actor.Name, At: now}})
}

func orNobody(owner string) string {
	if owner == "" {
		return "no person by name"
	}
	return owner
}

func answerRequest(s *fleet.State, r Request, c AnswerRequest, now fleet.Instant) ([]event.Event, *Refusal) {
	q, refusal := openRequest(s, c.ID)
	if refusal != nil {
		return nil, refusal
	}
	may := owns(s, r.Actor, q.Quota, access.AnswerAccess)
	if q.Access == nil {
		may = r.Actor.may(access.AnswerQuota, access.Place{Quota: q.Quota})
	}
	if !may {
		return nil, refuse(AccessDenied, "operators answer request %d, and of access the owner of %s does; %s is neither", c.ID, q.Quota, r.Actor.Name)
	}
	if ownRequest(r.Actor, q) {
		return nil, refuse(AccessDenied, "request %d is %s's own; another person answers it", c.ID, r.Actor.User)
	}
	ended := event.RequestEnded{ID: c.ID, State: fleet.RequestDeclined, By: r.Actor.Name, Answer: r.Reason}
	if !c.Grant {
		return one(ended)
	}
	ended.State = fleet.RequestGranted
	done, refusal := fulfil(s, q, now)
	return append([]event.Event{ended}, done...), refusal
}

// ownRequest says whether a person would answer their own request. The OS user that runs
// the server may: there is no second person.
func ownRequest(by Actor, q *fleet.QuotaRequest) bool {
	return by.Principal.SignedIn() && sameSelf(q.By, by.Name) || q.User != "" && q.User == by.User && (!by.Operator || by.Principal.SignedIn())
}

// fulfil does what a request asks for.
func fulfil(s *fleet.State, q *fleet.QuotaRequest, now fleet.Instant) ([]event.Event, *Refusal) {
	if s.Quota(q.Quota) == nil {
		return nil, NoQuota(s, q.Quota)
	}
	if q.Access != nil {
		return one(event.AccessSet{Quota: q.Quota, Access: letIn(s.Quota(q.Quota).Access, *q.Access)})
	}
	var events []event.Event
	for _, o := range q.Offers {
		moved, refusal := transfer(s, Transfer{From: o.From, To: q.Quota, Partition: q.Partition, GPUs: o.GPUs})
		if refusal != nil {
			return nil, refusal
		}
		events = append(events, moved...)
	}
	rest := q.GPUs - q.Offered()
	if rest == 0 {
		return events, nil
	}
	if q.Until != 0 {
		return grantUntil(s, q, now)
	}
	granted, refusal := grantRest(s, q, rest, now)
	return append(events, granted...), refusal
}

// grantRest grants from what is unallocated what no quota offered. The transfers
// before it change no sum, so it is checked against the state as it is.
func grantRest(s *fleet.State, q *fleet.QuotaRequest, rest int, now fleet.Instant) ([]event.Event, *Refusal) {
	was := 0
	if a := s.Partition(q.Partition).Account(q.Quota); a != nil {
		was = a.Lasting()
	}
	granted, refusal := setGrant(s, SetGrant{Quota: q.Quota, Partition: q.Partition, GPUs: was + rest, KeepGang: true}, q.By, "", now)
	if refusal != nil {
		refusal.Message += "; or let an owner offer what is not used: muster quota offer"
		return nil, refusal
	}
	for i, e := range granted {
		if e, ok := e.(event.GrantSet); ok {
			e.GPUs, e.Was = e.GPUs+q.Offered(), e.Was+q.Offered()
			granted[i] = e
		}
	}
	return granted, nil
}

// grantUntil grants from what is unallocated until the end that was asked for. A quota has one part
// with an end in a partition, so what ends at another moment is not touched.
func grantUntil(s *fleet.State, q *fleet.QuotaRequest, now fleet.Instant) ([]event.Event, *Refusal) {
	var has fleet.Temporary
	if a := s.Partition(q.Partition).Account(q.Quota); a != nil {
		has = a.Temporary
	}
	if has.GPUs > 0 && has.Until != q.Until {
		return nil, refuse(WrongState, "%s has %s in %s until %s already, and a grant has one end; set it by hand: muster quota grant", q.Quota, text.Count(has.GPUs, "GPU"), q.Partition, momentText(has.Until))
	}
	return setGrant(s, SetGrant{Quota: q.Quota, Partition: q.Partition, GPUs: has.GPUs + q.GPUs, Until: q.Until, KeepGang: true}, q.By, q.Reason, now)
}

// letIn adds people to an access list.
func letIn(has, more fleet.Access) fleet.Access {
	join := func(a, b []string) []string {
		all := append(slices.Clone(a), b...)
		slices.Sort(all)
		return slices.Compact(all)
	}
	return fleet.Access{Users: join(has.Users, more.Users), Groups: join(has.Groups, more.Groups), Namespaces: join(has.Namespaces, more.Namespaces)}
}

func withdrawRequest(s *fleet.State, r Request, c WithdrawRequest) ([]event.Event, *Refusal) {
	q, refusal := openRequest(s, c.ID)
	if refusal != nil {
		return nil, refusal
	}
	if q.User != r.Actor.User && !r.Actor.may(access.CallBack, access.Place{Quota: q.Quota}) {
		return nil, refuse(AccessDenied, "request %d is %s's; only who asked takes it back", c.ID, q.By)
	}
	return one(event.RequestEnded{ID: c.ID, State: fleet.RequestWithdrawn, By: r.Actor.Name, Answer: r.Reason})
}
