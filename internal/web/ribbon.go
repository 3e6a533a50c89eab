package web

import (
	"strings"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/draw"
)

// reasonClass is the class of each code, where only the code is known.
var reasonClass = map[string]string{
	"NoSuchPartition": "change", "GangTooLarge": "change", "ClusterNotReady": "fault", "Held": "ask", "QuotaUnbacked": "ask",
}

// ribbon gathers what a workload was when, from its story.
type ribbon struct {
	list  []draw.Stretch
	marks []draw.Mark
	now   draw.Stretch
	holds draw.Ink // how it holds its GPUs, or would
}

// stretchesOf reads from a workload's story what it was when.
func stretchesOf(story []*musterv1.Happening, to time.Time) ([]draw.Stretch, []draw.Mark) {
	r := &ribbon{holds: draw.Quota}
	for _, h := range story {
		says := h.GetAt().AsTime().Format("15:04:05") + " " + h.GetText()
		if h.GetKind() != "reason" {
			r.marks = append(r.marks, draw.Mark{At: h.GetAt().AsTime(), Says: says})
		}
		r.hear(h.GetKind(), h.GetText(), h.GetAt().AsTime(), says)
	}
	r.become(to, draw.Empty, "", "")
	return r.list, r.marks
}

// hear takes one line of the story.
func (r *ribbon) hear(kind, text string, at time.Time, says string) {
	switch kind {
	case "workload.submitted", "workload.retargeted", "gang.returned", "reservation.ended":
		r.become(at, draw.Wait, "pending", says)
	case "reason":
		r.reason(text, at, says)
	case "replicas.placed":
		r.placed(text, at, says)
	case "replicas.started":
		r.become(at, r.holds, "running", says)
	case "holds.changed":
		r.holds = holdsInk(text, r.holds)
		if r.now.Name == "running" {
			r.become(at, r.holds, "running", says)
		}
	case "replicas.evicted":
		if strings.HasPrefix(text, "evicted") {
			r.become(at, draw.Over, "evicting", says)
		}
	case "replicas.stopped":
		if r.now.Name == "evicting" {
			r.become(at, draw.Wait, "pending", says)
		}
	case "workload.finished", "workload.cancelled":
		r.become(at, draw.Empty, "", "")
	}
}

// reason is what kept it from starting from then on.
func (r *ribbon) reason(text string, at time.Time, says string) {
	if r.now.Name == "running" || r.now.Name == "evicting" {
		return
	}
	code, _, _ := strings.Cut(strings.TrimPrefix(text, "waits: "), ",")
	code, _, _ = strings.Cut(code, ".")
	r.become(at, classInk(reasonClass[code]), code, says)
}

// placed is room that it got, or that is reserved for it.
func (r *ribbon) placed(text string, at time.Time, says string) {
	r.holds = holdsInk(text, r.holds)
	switch {
	case !strings.HasPrefix(text, "room reserved"):
		if r.now.Name != "running" || r.now.Ink != r.holds {
			r.become(at, r.holds, "running", says)
		}
	case r.now.Name != "running":
		r.become(at, draw.Probation, "starting", says)
	}
}

// become ends what it was, and begins something else; nothing, without a name.
func (r *ribbon) become(at time.Time, ink draw.Ink, name, says string) {
	if r.now.Name != "" && at.After(r.now.From) {
		r.now.To = at
		r.list = append(r.list, r.now)
	}
	r.now = draw.Stretch{From: at, Ink: ink, Name: name, Says: says}
}

func holdsInk(text string, otherwise draw.Ink) draw.Ink {
	switch {
	case strings.Contains(text, "guaranteed"):
		return draw.Quota
	case strings.Contains(text, "borrowing"):
		return draw.Borrow
	case strings.Contains(text, "unprotected"):
		return draw.Over
	case strings.HasSuffix(text, "flex"), strings.Contains(text, ", flex"):
		return draw.Flex
	}
	return otherwise
}
