package picture

import (
	"slices"
	"strings"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/faces/draw"
)

// reasonInk is the ink of a reason, where only its code is known.
func reasonInk(code string) draw.Ink {
	row, _ := reason.Find(code)
	return ClassInk(string(row.Class))
}

// ribbon gathers what a workload was when, from its story.
type ribbon struct {
	list  []draw.Stretch
	marks []draw.Mark
	now   draw.Stretch
	holds draw.Ink // how it holds its GPUs, or would
}

// Life is what a workload was when, and what was done to it.
type Life struct {
	Stretches []draw.Stretch
	Marks     []draw.Mark
	From, To  time.Time
}

// LifeOf reads a workload's life from its story, up to a moment.
func LifeOf(why *musterv1.WhyResponse, at time.Time) Life {
	w := why.GetWorkload()
	l := Life{From: w.GetSubmitted().AsTime(), To: at}
	if w.GetEnded() != nil {
		l.To = w.GetEnded().AsTime()
	}
	if !l.To.After(l.From) {
		l.To = l.From.Add(time.Second)
	}
	l.Stretches, l.Marks = stretchesOf(why.GetHistory(), l.To)
	return l
}

// Draw draws it as a ribbon.
func (l Life) Draw(w draw.Width) draw.SVG { return draw.Ribbon(l.Stretches, l.Marks, l.From, l.To, w) }

// Inks are those of the ribbon.
func (l Life) Inks() (inks []draw.Ink) {
	for _, k := range draw.Inks {
		if slices.ContainsFunc(l.Stretches, func(s draw.Stretch) bool { return s.Ink == k.Ink }) {
			inks = append(inks, k.Ink)
		}
	}
	return inks
}

// ClassInk is the ink of a blocker's class.
func ClassInk(class string) draw.Ink {
	switch class {
	case "change":
		return draw.Change
	case "ask":
		return draw.Ask
	case "fault":
		return draw.Fault
	}
	return draw.Wait
}

// HoldsInk is the ink of how a workload holds its GPUs.
func HoldsInk(holds string) draw.Ink {
	switch holds {
	case "borrowing":
		return draw.Borrow
	case "unprotected":
		return draw.Over
	case "flex":
		return draw.Flex
	}
	return draw.Quota
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
	r.become(at, reasonInk(code), code, says)
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
