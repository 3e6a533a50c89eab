package change

import (
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
	if !ok || v.AsOf != nil || act.operators && !v.Operator() {
		return nil
	}
	return []Offer{{text, v.To("/do/"+name, fields...)}}
}

// ForJob offers what the reader may do with a workload: its user may, and operators.
func ForJob(v *frame.Visit, w *musterv1.Workload) []Offer {
	if w.GetEnded() != nil || !v.Operator() && w.GetUser() != v.Reader() {
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
