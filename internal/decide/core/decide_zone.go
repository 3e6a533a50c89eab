package core

import (
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// mostSpans bounds how often a zone recurs.
const mostSpans = 1500

func addZone(s *fleet.State, r Request, c AddZone, now fleet.Instant) ([]event.Event, *Refusal) {
	z := c.Zone
	if len(z.Blocks) == 0 {
		z.Blocks = []fleet.Impact{fleet.ImpactFreeze, fleet.ImpactRestart, fleet.ImpactReplace}
	}
	for _, bad := range []*Refusal{checkName("zone", z.Name), checkTexts("a zone", z.Reason, z.Owner, z.Link, z.Recur, z.TimeZone), checkZone(z, now)} {
		if bad != nil {
			return nil, bad
		}
	}
	if refusal := mayZone(s, r.Actor, z); refusal != nil {
		return nil, refusal
	}
	if s.Kept().Zone(z.Name) != nil { // it may be over work that the actor may not read, so nothing is said of it
		return nil, refuse(NameTaken, "no zone can be named %q any more: names of zones are used once; choose another name", z.Name)
	}
	if n := zonesOf(s, r.Actor.Name, now.Add(-zonesWindow)); n >= mostZones && !r.Actor.may(access.SetZone, placeOfZone(s, &z)) {
		return nil, refuse(WrongState, "%s has added %s within 30 days, as many as one person may; let one zone have several stretches of time, or ask an operator", r.Actor.Name, text.Count(n, "zone"))
	}
	if refusal := tooManyDays(s, r.Actor, &z); refusal != nil {
		return nil, refusal
	}
	z.By, z.Added, z.Ended = r.Actor.Name, now, 0
	return one(event.ZoneSet{Zone: z})
}

// tooManyDays refuses a zone with which a tree of quotas has more zone days in a quarter than the policy gives it. Operators may
// add it: that is how they agree (maintenance §4).
func tooManyDays(s *fleet.State, a Actor, z *fleet.Zone) *Refusal {
	days, tree := s.Policy.Maintenance.ZoneDays, maintenance.QuotaOf(s, z)
	if days == 0 || tree == "" || a.may(access.SetZone, placeOfZone(s, z)) {
		return nil
	}
	var in fleet.Span
	for _, span := range z.Spans {
		for at := max(span.From, in.To); at < span.To; at = in.To {
			in = maintenance.QuarterOf(at)
			if has := maintenance.ZoneDays(s, tree, in, z); has > time.Duration(days)*24*time.Hour {
				return refuse(AccessDenied, "with zone %q quota %s would have %.1f no-fly days in the quarter from %s, and %d are its own to set; make it shorter, or ask an operator to add it",
					z.Name, tree, has.Hours()/24, in.From.Time().Format(time.DateOnly), days)
			}
		}
	}
	return nil
}

// mostZones is how many zones a person without a role there adds in zonesWindow: zones are kept for ever.
const (
	mostZones   = 100
	zonesWindow = 30 * 24 * time.Hour
)

// zonesOf is how many zones an actor has added since a moment.
func zonesOf(s *fleet.State, by string, since fleet.Instant) (n int) {
	for _, z := range s.Kept().Zones {
		if z.By == by && z.Added >= since {
			n++
		}
	}
	return n
}

func checkZone(z fleet.Zone, now fleet.Instant) *Refusal {
	for _, i := range z.Blocks {
		if refusal := checkImpact(i); refusal != nil {
			return refusal
		}
	}
	switch {
	case z.Reason == "" || z.Owner == "" || z.Link == "":
		return refuse(ReasonNeeded, "zone %q keeps updates away from people's nodes: it needs a reason, an owner and a link (--reason, --owner, --link)", z.Name)
	case len(z.Spans) == 0 || len(z.Spans) > mostSpans:
		return refuse(Invalid, "zone %q has %d stretches of time; 1 to %d are possible", z.Name, len(z.Spans), mostSpans)
	}
	last := fleet.Instant(0)
	for _, span := range z.Spans {
		if span.To <= span.From {
			return refuse(Invalid, "zone %q ends at %s, and begins at %s; it ends after it begins", z.Name, momentText(span.To), momentText(span.From))
		}
		if span.From < last {
			return refuse(Invalid, "zone %q begins again at %s, before it has ended; make it one stretch, or let it recur less often", z.Name, momentText(span.From))
		}
		last = span.To
	}
	if last <= now {
		return refuse(Invalid, "zone %q is over: it ends at %s", z.Name, momentText(last))
	}
	return nil
}

// mayZone says whether an actor may add a zone: operators everywhere, people over their own quotas
// and workloads.
func mayZone(s *fleet.State, a Actor, z fleet.Zone) *Refusal {
	if z.Workload != "" {
		w := s.Workload(z.Namespace, z.Workload)
		if !a.sees(s, w, z.Namespace) {
			return HiddenWork(a, z.Namespace, z.Workload)
		}
		if w == nil || w.State.Ended() {
			return refuse(NoSuchWorkload, "there is no workload %s/%s that has not ended", clip(z.Namespace), clip(z.Workload))
		}
		_, refusal := findOwn(s, a, z.Namespace, z.Workload)
		return refusal
	}
	if q := s.Quota(z.Scope); q != nil && s.Cluster(z.Scope) == nil {
		if !owns(s, a, z.Scope, access.SetZone) {
			return refuse(AccessDenied, "%s does not answer for %s; its owner or an operator may add a zone there", a.Name, z.Scope)
		}
		return nil
	}
	if z.Scope != "fleet" {
		if refusal := checkScope(s, z.Scope); refusal != nil {
			return refusal
		}
	}
	if at := inCluster(z.Scope)[0]; !a.may(access.SetZone, at) {
		return a.lacks(access.SetZone, at)
	}
	return nil
}

func endZone(s *fleet.State, r Request, c EndZone, now fleet.Instant) ([]event.Event, *Refusal) {
	z := s.Kept().Zone(c.Name)
	switch {
	case z == nil || !r.Actor.hears(s, z):
		return nil, NoZone(r.Actor.heard(s), c.Name)
	case !r.Actor.ends(s, z):
		return nil, refuse(AccessDenied, "zone %q is %s's; they or an operator may end it", z.Name, z.By)
	case z.Ended != 0:
		return nil, nil
	}
	next := *z
	next.Ended = now
	return one(event.ZoneSet{Zone: next})
}

// heard are the zones of which the actor may know.
func (a Actor) heard(s *fleet.State) (zones []*fleet.Zone) {
	for _, z := range s.Kept().Zones {
		if a.hears(s, z) {
			zones = append(zones, z)
		}
	}
	return zones
}

// hears says whether the actor may know of a zone: of one over work who may end it, and who may read that work.
func (a Actor) hears(s *fleet.State, z *fleet.Zone) bool {
	return z.Workload == "" || a.ends(s, z) || a.sees(s, s.Workload(z.Namespace, z.Workload), z.Namespace)
}

// ends says whether the actor may end a zone: its own, and those where a role lets them set zones.
func (a Actor) ends(s *fleet.State, z *fleet.Zone) bool {
	return z.By == a.Name || a.may(access.SetZone, placeOfZone(s, z))
}

// placeOfZone is where a zone is, for the table of roles.
func placeOfZone(s *fleet.State, z *fleet.Zone) access.Place {
	switch {
	case z.Workload != "":
		return access.Place{Namespace: z.Namespace}
	case s.Quota(z.Scope) != nil && s.Cluster(z.Scope) == nil:
		return access.Place{Quota: z.Scope}
	}
	return inCluster(z.Scope)[0]
}

func addNotice(s *fleet.State, r Request, c AddNotice, now fleet.Instant) ([]event.Event, *Refusal) {
	if refusal := checkName("maintenance", c.Name); refusal != nil {
		return nil, refusal
	}
	if refusal := checkImpact(c.Impact); refusal != nil {
		return nil, refusal
	}
	nodes := slices.Clone(c.Nodes)
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	switch {
	case s.Kept().Notice(c.Name) != nil:
		return nil, refuse(NameTaken, "there is a maintenance %q already%s; names of maintenances are used once, so choose another name", c.Name, overSince(s.Kept().Notice(c.Name)))
	case len(nodes) == 0 || len(nodes) > mostNodes:
		return nil, refuse(Invalid, "a maintenance names 1 to %d nodes, not %d", mostNodes, len(nodes))
	case c.Lasts <= 0 || c.Lasts > 10*mostLasts:
		return nil, refuse(Invalid, "a maintenance lasts more than nothing and at most 140 days, not %s", c.Lasts)
	case c.Freeze < 0 || c.Freeze > c.Lasts:
		return nil, refuse(Invalid, "maintenance %q freezes nodes for %s and lasts %s; a freeze is part of it", c.Name, c.Freeze, c.Lasts)
	case c.Starts.Add(c.Lasts) <= now || c.Starts > now.Add(3*365*24*time.Hour):
		return nil, refuse(Invalid, "a maintenance that starts at %s is over, or more than three years ahead", momentText(c.Starts))
	}
	if refusal := checkNodes(s, nodes); refusal != nil {
		return nil, refusal
	}
	return one(event.NoticeSet{Notice: fleet.Notice{
		Name: c.Name, Nodes: nodes, Starts: c.Starts, Lasts: c.Lasts, Impact: c.Impact, Freeze: c.Freeze, Provider: c.Provider, By: r.Actor.Name, Added: now,
	}})
}

// overSince says that a maintenance was cancelled or is over; "": neither.
func overSince(o *fleet.Notice) string {
	switch {
	case o.Cancelled:
		return ", cancelled at " + momentText(o.Ended)
	case o.Ended != 0:
		return ", over since " + momentText(o.Ended)
	}
	return ""
}

func cancelNotice(s *fleet.State, c CancelNotice, now fleet.Instant) ([]event.Event, *Refusal) {
	o := s.Kept().Notice(c.Name)
	switch {
	case o == nil:
		return nil, noNotice(s, c.Name)
	case o.Ended != 0:
		return nil, refuse(WrongState, "maintenance %q is over", c.Name)
	}
	next := *o
	next.Ended, next.Cancelled = now, true
	return one(event.NoticeSet{Notice: next})
}

func agreeToStop(s *fleet.State, r Request, c AgreeToStop, now fleet.Instant) ([]event.Event, *Refusal) {
	w, refusal := findOwn(s, r.Actor, c.Namespace, c.Name)
	switch {
	case refusal != nil:
		return nil, refusal
	case c.At != 0 && c.At < now:
		return nil, refuse(Invalid, "%s is past; agree to a moment that is still to come", momentText(c.At))
	case !maintenance.Concerns(s, w):
		return nil, refuse(NotLeaving, "no visit is planned on a node of %s/%s; there is nothing to agree to", w.Namespace, w.Name)
	}
	return one(event.WorkloadAgreed{ID: w.ID, At: c.At, By: r.Actor.Name})
}
