package core

import (
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Bounds of what is planned.
const (
	mostLasts   = 14 * 24 * time.Hour
	mostUpdates = 64   // of a bundle
	mostNodes   = 4096 // named one by one
)

func addUpdate(s *fleet.State, r Request, c AddUpdate, now fleet.Instant) ([]event.Event, *Refusal) {
	u := c.Update
	for _, bad := range []*Refusal{
		checkName("update", u.Name), checkName("component", u.Component.Name), checkName("version", u.Component.Version),
		checkTexts("an update", append([]string{u.Executor}, u.GPUs...)...), checkImpact(u.Impact), checkExecutor(u.Executor), checkUpdate(u, now),
	} {
		if bad != nil {
			return nil, bad
		}
	}
	if old := s.Kept().Update(u.Name); old != nil {
		return nil, refuse(NameTaken, "update %q is known already: %s %s", u.Name, old.Component.Name, old.Component.Version)
	}
	u.Record = fleet.UpdateRecord{Added: now, By: r.Actor.Name}
	return one(event.UpdateSet{Update: u})
}

func checkImpact(i fleet.Impact) *Refusal {
	for _, known := range fleet.Impacts() {
		if i == known {
			return nil
		}
	}
	return refuse(Invalid, "%q is not an impact; the impacts are %s", clip(string(i)), listed(fleet.Impacts()))
}

func checkExecutor(name string) *Refusal {
	if name == "" || slices.Contains(fleet.Executors(), name) {
		return nil
	}
	return refuse(Invalid, "there is no executor %q; the executors are %s", clip(name), listed(fleet.Executors()))
}

func checkUpdate(u fleet.NodeUpdate, now fleet.Instant) *Refusal {
	switch {
	case u.Lasts <= 0 || u.Lasts > mostLasts:
		return refuse(Invalid, "update %q lasts %s on a node; it must be more than nothing, and at most 14 days", u.Name, u.Lasts)
	case u.Freeze < 0 || u.Freeze > u.Lasts:
		return refuse(Invalid, "update %q freezes a node for %s and lasts %s; a freeze is part of it", u.Name, u.Freeze, u.Lasts)
	case u.Deadline != 0 && u.Deadline <= now:
		return refuse(Invalid, "the deadline of update %q, %s, is past; give one that is still to come, or none", u.Name, momentText(u.Deadline))
	case u.Deadline != 0 && u.NotBefore >= u.Deadline:
		return refuse(Invalid, "update %q may not begin before %s and has its deadline at %s; the deadline is the later one", u.Name, momentText(u.NotBefore), momentText(u.Deadline))
	case len(u.GPUs) > mostUpdates:
		return refuse(Invalid, "update %q names %d GPU models; %d at most", u.Name, len(u.GPUs), mostUpdates)
	}
	return nil
}

func withdrawUpdate(s *fleet.State, c WithdrawUpdate, now fleet.Instant) ([]event.Event, *Refusal) {
	u := s.Kept().Update(c.Name)
	switch {
	case u == nil:
		return nil, noUpdate(s, c.Name)
	case u.Record.Withdrawn != 0:
		return nil, nil
	}
	next := *u
	next.Record.Withdrawn = now
	return one(event.UpdateSet{Update: next})
}
