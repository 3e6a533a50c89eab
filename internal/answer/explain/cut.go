package explain

import (
	"fmt"

	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// This file says why a quota has less than it had: a haircut in force, or nodes that are down.

// cut says which haircut took part of a quota's grant last, when, how much, and who reviewed it;
// "": none that is in force did.
func (q *question) cut(a *fleet.Account) string {
	var name, by string
	var at fleet.Instant
	was, now := 0, 0
	for _, h := range q.s.Haircuts {
		for _, w := range h.Waves {
			if c, ok := cutIn(w, q.p.ID, a); ok && w.Applied >= at && w.Applied > w.Undone {
				name, by, at, was, now = h.Name, h.ReviewedBy, w.Applied, c.Was, c.Now
			}
		}
	}
	if at == 0 {
		return ""
	}
	if by != "" {
		by = ", which " + by + " reviewed,"
	}
	return fmt.Sprintf(" Haircut %s%s cut its grant from %s to %s at %s.", name, by, text.Group(was), text.Count(now, "GPU"), text.Weekday(at.Time()))
}

// cutIn finds what a wave cuts of an account's grant.
func cutIn(w fleet.Wave, partition string, a *fleet.Account) (fleet.Cut, bool) {
	for _, part := range w.Parts {
		for _, c := range part.Cuts {
			if part.Partition == partition && c.Quota == a.Quota && c.Now < c.Was {
				return c, true
			}
		}
	}
	return fleet.Cut{}, false
}

// down says how many nodes of the partition are not healthy, since when, and names the first; "": none.
func (q *question) down() string {
	nodes, first := 0, (*fleet.Node)(nil)
	for _, n := range q.p.Nodes {
		if n.State == fleet.Healthy || n.State == fleet.Retired {
			continue
		}
		if nodes++; first == nil || n.Since < first.Since {
			first = n
		}
	}
	if first == nil {
		return ""
	}
	return fmt.Sprintf(" Not healthy in %s: %s; %s is %s since %s.", q.p.ID, text.Count(nodes, "node"), first.Name, first.State, text.Weekday(first.Since.Time()))
}
