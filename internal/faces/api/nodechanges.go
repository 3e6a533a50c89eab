package api

import (
	"context"
	"slices"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// mostNodeChanges is of how many of the last records a node's changes are told: as many as its page shows. Other records about it
// are not counted: whether there are more of them is not told to a reader who may not read them.
const mostNodeChanges = 30

// changesOf adds the last changes of a node's state to what is told of its health. A node that only its cluster cordons has
// neither a signal of a monitor nor a fault.
func (s healthService) changesOf(ctx context.Context, m *musterv1.NodeHealthRequest, out *musterv1.NodeHealthResponse) error {
	until, err := s.until(m.GetAsOf())
	if err != nil {
		return err
	}
	p := &page{limit: mostNodeChanges, last: true, until: until, kinds: []string{event.NodeChanged{}.Kind()}, choice: choice{about: out.GetNode().GetNode()}}
	if until == fleet.Never {
		err = s.recent.lastPage(ctx, s.engine, p)
	} else {
		err = eventService(s).lastPage(ctx, p)
	}
	out.Earlier = p.earlier
	for _, r := range p.records {
		out.Changes = append(out.Changes, nodeChanges(s.shown(ctx, r), p.about)...)
	}
	return err
}

// nodeChanges are the changes of a node's state in a record.
func nodeChanges(r event.Record, node string) (list []*musterv1.NodeChange) {
	for _, e := range r.Events {
		if c, ok := e.(event.NodeChanged); ok && c.Node == node {
			list = append(list, &musterv1.NodeChange{
				At: wire.Instant(r.At), From: string(c.From), To: string(c.To), Signal: c.Signal, By: cameFrom(r, c), Reason: r.Reason, Record: r.Seq,
			})
		}
	}
	return list
}

// byPerson says whether a person gave the command that a record is of.
func byPerson(r event.Record) bool {
	return !slices.Contains([]string{core.System.Name, core.Reporter.Name}, r.Actor)
}

// cameFrom says where a change of a node's state came from.
func cameFrom(r event.Record, c event.NodeChanged) string {
	switch {
	case c.Owner == fleet.ByMaintenance && !byPerson(r) || c.Planned:
		return "maintenance"
	case c.Owner == fleet.ByAutomatic, r.Actor == core.System.Name:
		return "automation"
	case r.Actor == core.Reporter.Name:
		return "its cluster"
	}
	return r.Actor
}
