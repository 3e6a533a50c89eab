package change

import (
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
)

// Offer is a button that leads to a form.
type Offer struct {
	text string
	path string
}

// For offers an action if the reader may do it and the page is about now: its name, the text
// of the button, and fields that are known already.
func For(v *frame.Visit, name, text string, fields ...string) (list []Offer) {
	act, ok := actionOf(name)
	if !ok || v.AsOf != nil || len(act.roles) > 0 && !v.May(scopeOf(fields), act.roles...) {
		return nil
	}
	return []Offer{{text, v.To("/do/"+name, fields...)}}
}

// The roles whose holders are offered actions, as the table of docs/security.md says.
var (
	admins       = []string{"admin"}
	managers     = []string{"manager", "admin"}
	quotaOwners  = []string{"quota-owner", "manager", "admin"}
	engineers    = []string{"fleet-engineer", "admin"}
	builders     = []string{"builder", "admin"}
	zoneSetters  = []string{"quota-owner", "fleet-engineer", "manager", "admin"}
	runsTheFleet = []string{"manager", "fleet-engineer", "builder", "admin"}
)

// scopeOf is where an action would be, as far as the known fields of its form say: a quota, or the
// cluster of a partition.
func scopeOf(fields []string) string {
	for i := 0; i+1 < len(fields); i += 2 {
		switch name, value := fields[i], fields[i+1]; {
		case value == "":
		case name == "quota":
			return "quota " + value
		case name == "scope" || name == "cluster":
			cluster, _, _ := strings.Cut(value, "/")
			return "cluster " + cluster
		}
	}
	return ""
}

// ForJob offers what the reader may do with a workload: its user may, who leads its namespace, and operators.
func ForJob(v *frame.Visit, w *musterv1.Workload) []Offer {
	if w.GetEnded() != nil || w.GetUser() != v.Reader() && !v.May("namespace "+w.GetSpec().GetNamespace(), "team-lead", "admin") {
		return nil
	}
	id := w.GetSpec().GetNamespace() + "/" + w.GetSpec().GetName()
	return Join(For(v, "cancel", "Cancel …", "job", id), For(v, "retarget", "Retarget …", "job", id, "target", w.GetSpec().GetTarget()),
		For(v, "priority", "Change order …", "job", id, "priority", w.GetSpec().GetPriority()))
}

// Join puts offers together.
func Join(lists ...[]Offer) (all []Offer) {
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}
