package core

import (
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// UpdateIncident says what is known of an open sev now; nil leaves a thing as it
// is. Note is what has been found out.
type UpdateIncident struct {
	Name                         string
	Scope, Severity, Owner, Link *string
	Nodes                        *[]string
	Note                         string
}

func (UpdateIncident) command() {}

func openIncident(s *fleet.State, r Request, c OpenIncident) ([]event.Event, *Refusal) {
	if refusal := checkName("incident", c.Name); refusal != nil {
		return nil, refusal
	}
	if refusal := checkTexts("an incident", append([]string{c.Scope, c.Severity, c.Owner, c.Link}, c.Nodes...)...); refusal != nil {
		return nil, refusal
	}
	if refusal := checkIncidentScope(s, c.Scope); refusal != nil {
		return nil, refusal
	}
	if openIncidentNamed(s, c.Name) != nil {
		return nil, refuse(NameTaken, "incident %q is open already", c.Name)
	}
	return one(event.IncidentOpened{
		Name: c.Name, Scope: c.Scope, Severity: c.Severity, Nodes: c.Nodes, Owner: c.Owner, Link: c.Link, Reason: r.Reason,
	})
}

func closeIncident(s *fleet.State, c CloseIncident) ([]event.Event, *Refusal) {
	if openIncidentNamed(s, c.Name) == nil {
		return nil, noIncident(s, c.Name)
	}
	return one(event.IncidentClosed(c))
}

func updateIncident(s *fleet.State, c UpdateIncident) ([]event.Event, *Refusal) {
	texts := []string{c.Note}
	for _, t := range []*string{c.Scope, c.Severity, c.Owner, c.Link} {
		if t != nil {
			texts = append(texts, *t)
		}
	}
	if c.Nodes != nil {
		texts = append(texts, *c.Nodes...)
	}
	if refusal := checkTexts("an incident", texts...); refusal != nil {
		return nil, refusal
	}
	if c.Scope == nil && c.Severity == nil && c.Owner == nil && c.Link == nil && c.Nodes == nil && c.Note == "" {
		return nil, refuse(NothingToDo, "nothing about incident %q is to change; say what, or a note", clip(c.Name))
	}
	if openIncidentNamed(s, c.Name) == nil {
		return nil, noIncident(s, c.Name)
	}
	if c.Scope != nil {
		if refusal := checkIncidentScope(s, *c.Scope); refusal != nil {
			return nil, refusal
		}
	}
	return one(event.IncidentUpdated(c))
}

// checkIncidentScope refuses a scope that names no cluster, partition or island. None is
// the whole fleet. Clusters that are being built have incidents, too.
func checkIncidentScope(s *fleet.State, scope string) *Refusal {
	if scope == "" || s.Life(scope) != nil {
		return nil
	}
	return checkScope(s, scope)
}

func openIncidentNamed(s *fleet.State, name string) *fleet.Incident {
	for _, i := range s.Incidents {
		if i.Name == name && i.Closed == 0 {
			return i
		}
	}
	return nil
}
