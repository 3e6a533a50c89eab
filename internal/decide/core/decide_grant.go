package core

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// placeToGrant is where a grant would be. The refusal of a quota that is not there says how to make it.
func placeToGrant(s *fleet.State, c SetGrant) (*fleet.Partition, *Refusal) {
	p, refusal := placeOf(s, c.Quota, c.Partition)
	if refusal != nil && refusal.Code == NoSuchQuota && s.Partition(c.Quota) == nil {
		join := "; "
		if strings.HasSuffix(refusal.Message, "?") {
			join = " "
		}
		refusal.Message += fmt.Sprintf("%smuster quota create %s makes it", join, clip(c.Quota))
	}
	return p, refusal
}

func grant(s *fleet.State, r Request, c SetGrant, now fleet.Instant) ([]event.Event, *Refusal) {
	events, refusal := setGrant(s, c, r.Actor.Name, r.Reason, now)
	if refusal == nil && c.Overcommit {
		refusal = overcommitNeedsReason(r)
	}
	if refusal != nil {
		return nil, refusal
	}
	return events, nil
}

func setGrant(s *fleet.State, c SetGrant, by, reason string, now fleet.Instant) ([]event.Event, *Refusal) {
	p, refusal := placeToGrant(s, c)
	if refusal != nil {
		return nil, refusal
	}
	if refusal := checkGrant(p, c, now); refusal != nil {
		return nil, refusal
	}
	if c.None {
		return endGrant(p, c)
	}
	e := grantAfter(p, c)
	if e.Temporary.GPUs > 0 && c.Until != 0 {
		e.Temporary.By, e.Temporary.Reason, e.Temporary.Told = by, reason, c.Until.Sub(now) <= fleet.EndingNotice
	}
	if refusal := notRetired(s, p); refusal != nil && e.GPUs > e.Was {
		return nil, refusal
	}
	if refusal := checkGang(p, e); refusal != nil {
		return nil, refusal
	}
	wasGang := 0
	if a := p.Account(c.Quota); a != nil {
		wasGang = a.Gang
	}
	tooLarge := gangTooLarge(s, p, wasGang, e.Gang, now)
	used, refusal := checkPromise(s, p, c, e, now)
	if refusal != nil {
		if tooLarge {
			gang := refuseGang(s, p, c.Quota, e.Gang, now)
			refusal.Message += ". Besides, " + gang.Message + wouldDo(p, e, refusal, gang)
		}
		return nil, refusal
	}
	if tooLarge && !c.Overcommit && !c.AsFound {
		return nil, refuseGang(s, p, c.Quota, e.Gang, now)
	}
	// Who may go beyond what is sustainable and does not has overcommitted nothing.
	over := c.Overcommit && (tooLarge || assignedAfter(s, p, e, now) > sustainable(s, p, now))
	if e.Overcommit = e.Overcommit || over; c.Until == 0 && e.Temporary.GPUs > 0 {
		e.Temporary.Overcommit = over
	}
	return append([]event.Event{e}, used...), nil
}

func overcommitNeedsReason(r Request) *Refusal {
	return r.reasoned("overcommit needs a reason; say why (--reason)")
}

// checkGrant refuses figures that no grant can have.
func checkGrant(p *fleet.Partition, c SetGrant, now fleet.Instant) *Refusal {
	if refusal := notNegative("a grant", c.GPUs); refusal != nil {
		return refusal
	}
	if c.Until != 0 && c.GPUs > 0 && c.Until <= now {
		return refuse(Invalid, "a grant until %s would have ended already; name a moment to come, or 0 GPUs to end what is there", momentText(c.Until))
	}
	if a := p.Account(c.Quota); c.Until != 0 && c.GPUs == 0 && (a == nil || a.Temporary.GPUs == 0) {
		return refuse(NothingToDo, "nothing of the grant of %s in %s ends by itself", c.Quota, c.Partition)
	}
	return nil
}

// endGrant ends a grant, even one of 0 GPUs.
func endGrant(p *fleet.Partition, c SetGrant) ([]event.Event, *Refusal) {
	a := p.Account(c.Quota)
	switch {
	case c.GPUs != 0 || c.Gang != 0 || c.Until != 0 || c.Overcommit:
		return nil, refuse(Invalid, "no grant at all has no GPUs, no gang and no end; give only the quota and the partition")
	case a == nil || a.Ending:
		return nil, refuse(NothingToDo, "%s has no grant in %s", c.Quota, c.Partition)
	}
	return one(event.GrantSet{Quota: c.Quota, Partition: c.Partition, Was: a.Grant, WasTemporary: a.Temporary, None: true})
}

// checkGang refuses a declared gang that the grant cannot have.
func checkGang(p *fleet.Partition, e event.GrantSet) *Refusal {
	if e.Gang < 0 || e.Gang > e.GPUs {
		return refuse(Invalid, "a gang of %s in a grant of %s; it must be between 0 and the grant", text.Count(e.Gang, "GPU"), text.Group(e.GPUs))
	}
	return wholeNodes(p, "a gang", e.Gang)
}

// momentText is a moment as messages say it.
func momentText(at fleet.Instant) string {
	return text.Weekday(at.Time())
}

// grantAfter is the grant that a command leads to: what lasts and what ends are set apart
// from each other, and the other of the two stays as it is.
func grantAfter(p *fleet.Partition, c SetGrant) event.GrantSet {
	var is fleet.Account
	a := p.Account(c.Quota)
	if a != nil {
		is = *a
	}
	e := event.GrantSet{Quota: c.Quota, Partition: c.Partition, Was: is.Grant, WasTemporary: is.Temporary, Gang: c.Gang, New: a == nil || a.Ending}
	lasts, ends := is.Lasting(), is.Temporary
	gang, over := is.AfterEnd()
	if c.Until == 0 {
		lasts = c.GPUs
	} else {
		ends, e.Overcommit = fleet.Temporary{GPUs: c.GPUs, Until: c.Until, Overcommit: over}, over
	}
	e.GPUs = lasts + ends.GPUs
	switch {
	case c.KeepGang:
		e.Gang = min(is.Gang, p.InWholeNodes(e.GPUs))
	case c.Until == 0:
		gang = c.Gang
	}
	ends.Gang = min(gang, p.InWholeNodes(lasts))
	if ends.GPUs > 0 {
		e.Temporary = ends
	} else if c.Until != 0 {
		e.Gang = ends.Gang
	}
	return e
}

// checkPromise refuses a grant that would assign more than is sustainable, holds
// of others included; what the quota's own holds earmark is used up.
func checkPromise(s *fleet.State, p *fleet.Partition, c SetGrant, e event.GrantSet, now fleet.Instant) ([]event.Event, *Refusal) {
	rise := e.GPUs - e.Was
	if rise <= 0 {
		return nil, nil
	}
	after := assignedAfter(s, p, e, now)
	if limit := sustainable(s, p, now); after > limit && !c.Overcommit {
		_, all := s.Held(c.Partition, c.Quota, now)
		return nil, refuse(Overpromise, "%s would have %s assigned%s and can sustain %d%s%s; lower another grant, or overcommit (--overcommit) with a reason",
			p.ID, text.Count(after, "GPU"), heldAmong(after-p.Assigned()-rise), limit, fitting(p, rise-(after-limit)), roomElsewhere(s, p, rise, now)).
			with(map[string]int{"assigned": p.Assigned(), "held": all, "wanted": e.GPUs, "more": rise, "sustainable": limit})
	}
	var used []event.Event
	for _, h := range s.Holds {
		if h.Quota == c.Quota && h.Partition == c.Partition && !h.Inside() && h.Until > now && rise > 0 {
			take := min(rise, h.GPUs)
			rise -= take
			used = append(used, event.HoldEnded{ID: h.ID, Left: h.GPUs - take, Why: "used"})
		}
	}
	return used, nil
}

// fitting says how many GPUs more could be granted, in whole nodes; "": none.
func fitting(p *fleet.Partition, gpus int) string {
	if gpus = p.InWholeNodes(gpus); gpus <= 0 {
		return ""
	}
	return fmt.Sprintf("; at most %d more fit", gpus)
}

// mostElsewhere is how many partitions with room are named.
const mostElsewhere = 3

// roomElsewhere names partitions of the same GPU model that can sustain so many GPUs more, in order of name; "": none can.
func roomElsewhere(s *fleet.State, p *fleet.Partition, gpus int, now fleet.Instant) string {
	var list []string
	for _, x := range s.Partitions {
		if x != p && x.GPU == p.GPU && x.Halted() == "" && x.InWholeNodes(sustainable(s, x, now)-assignedAndHeld(s, x, now)) >= gpus {
			list = append(list, x.ID)
		}
	}
	if len(list) == 0 {
		return ""
	}
	slices.Sort(list)
	return fmt.Sprintf("; %s %s room for %s more", text.Few(list, mostElsewhere), text.Verb(len(list), "has", "have"), text.Count(gpus, "GPU"))
}

// heldAmong says how many of the GPUs that would be assigned are held for quotas; "" where none are.
func heldAmong(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" (with %d held)", n)
}

// assignedAndHeld is what a partition has assigned, with what is held for quotas, in GPUs.
func assignedAndHeld(s *fleet.State, p *fleet.Partition, now fleet.Instant) int {
	_, held := s.Held(p.ID, "", now)
	return p.Assigned() + held
}

// assignedAfter is what a partition would have assigned with a grant, in GPUs: with what
// is held for others, and what is held for the quota itself and not used up by it.
func assignedAfter(s *fleet.State, p *fleet.Partition, e event.GrantSet, now fleet.Instant) int {
	rise := e.GPUs - e.Was
	own, all := s.Held(e.Partition, e.Quota, now)
	return p.Assigned() + rise + all - min(own, max(0, rise))
}
