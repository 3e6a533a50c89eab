package core

import (
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

func opened(e event.IncidentOpened, at fleet.Instant) *fleet.Incident {
	return &fleet.Incident{Name: e.Name, Scope: e.Scope, Severity: e.Severity, Nodes: e.Nodes, Opened: at, Owner: e.Owner, Link: e.Link, Reason: e.Reason}
}

func closeNamed(s *fleet.State, name string, at fleet.Instant) {
	for _, i := range s.Incidents {
		if i.Name == name && i.Closed == 0 {
			i.Closed = at
		}
	}
}

func updateNamed(s *fleet.State, e event.IncidentUpdated, at fleet.Instant) {
	i := openIncidentNamed(s, e.Name)
	for _, f := range []struct{ to, from *string }{
		{&i.Scope, e.Scope}, {&i.Severity, e.Severity}, {&i.Owner, e.Owner}, {&i.Link, e.Link},
	} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
	if e.Nodes != nil {
		i.Nodes = *e.Nodes
	}
	if e.Note == "" {
		return
	}
	i.Updates = append(i.Updates[:len(i.Updates):len(i.Updates)], fleet.Update{At: at, Note: e.Note})
	if len(i.Updates) > fleet.UpdateMemory {
		i.Updates = i.Updates[1:]
	}
}
