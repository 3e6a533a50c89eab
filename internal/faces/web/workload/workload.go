package workload

import (
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/picture"
	"github.com/muster-fleet/muster/internal/faces/web/coming"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
	"github.com/muster-fleet/muster/internal/faces/web/islands"
	"github.com/muster-fleet/muster/internal/faces/web/parts"
)

// view is what the page of a workload shows.
type view struct {
	v    *frame.Visit
	w    *musterv1.Workload
	id   string // namespace/name
	path string
	maps []islands.Map
	// What is coming to it or to its nodes; asked only while it is there.
	coming  coming.View
	planned coming.PlannedView
}

// Page is the page of one workload.
func Page(v *frame.Visit) (frame.Page, error) {
	ns, name := v.Request.PathValue("namespace"), v.Request.PathValue("name")
	g, err := v.Workloads.GetWorkload(v.Ctx, &musterv1.GetWorkloadRequest{AsOf: v.AsOf, Namespace: ns, Name: name})
	if err != nil {
		return frame.Page{}, err
	}
	m := view{v: v, w: g.GetWorkload(), id: ns + "/" + name, path: "/workload/" + ns + "/" + name}
	if len(m.w.GetNodes()) > 0 && m.w.GetPartition() != "" {
		if m.maps, err = islands.Of(v, m.w.GetPartition(), m.w.GetIslands(), m.w.GetNodes(), nil); err != nil {
			return frame.Page{}, err
		}
	}
	if m.w.GetPartition() != "" && m.w.GetEnded() == nil {
		if m.coming, err = coming.To(v, m.w); err != nil {
			return frame.Page{}, err
		}
		if m.planned, err = coming.Planned(v, &musterv1.PlannedWorkRequest{Workload: m.id}); err != nil {
			return frame.Page{}, err
		}
	}
	return frame.Page{
		Title: m.id, Nav: "workloads", Crumbs: frame.Under("Workloads", "/workloads"), Command: words.Shell("muster", "why", m.id, "--history"),
		Lead: m.sentence(), Body: body(m), About: []string{m.w.GetPartition(), frame.OfQuota(m.w.GetSpec().GetTarget())},
	}, nil
}

// sentence says how it is, at once.
func (m view) sentence() string {
	w := m.w
	to := w.GetSpec().GetTarget()
	switch {
	case words.Waits(w.GetState()):
		s := "Waits for " + to + ", " + parts.Lasted(w.GetWaited().AsDuration()) + " so far"
		s += words.Turn(int(w.GetPosition()), to, m.first())
		if w.GetReason() != "" {
			s += ". Reason: " + w.GetReason()
		}
		return s + "."
	case words.Ended(w.GetState()):
		return strings.ToUpper(w.GetState()[:1]) + w.GetState()[1:] + " " + parts.Clock(w.GetEnded().AsTime(), m.v.Now) + "; it waited " + parts.Lasted(w.GetWaited().AsDuration()) + " in all."
	}
	return "Is " + w.GetState() + " on " + draw.Count(int(w.GetGpus()), "GPU") + " of " + w.GetPartition() + ", held as " + heldAs(w) + ", since " + parts.Clock(w.GetStarted().AsTime(), m.v.Now) + "."
}

// heldAs says how a workload holds its GPUs, and which of them it holds in another way.
func heldAs(w *musterv1.Workload) string {
	if part := words.HeldBesides(w.GetHolds(), w.GetHeld()); part != "" {
		return w.GetHolds() + " (of its GPUs " + part + ")"
	}
	return w.GetHolds()
}

// first is the work that goes before one that is the first of its queue and waits behind another's.
func (m view) first() (names []string) {
	if m.w.GetPosition() != 1 {
		return nil
	}
	why, err := m.v.Workloads.Why(m.v.Ctx, &musterv1.WhyRequest{AsOf: m.v.AsOf, Namespace: m.w.GetSpec().GetNamespace(), Name: m.w.GetSpec().GetName()})
	if err != nil {
		return nil // the reasons come after the page, and say what is wrong
	}
	for _, b := range why.GetBlockers() {
		if b.GetCode() == "Behind" {
			names = append(names, b.GetCulprits()...)
		}
	}
	return names
}

// waits says whether the workload waits for room.
func (m view) waits() bool {
	return words.Waits(m.w.GetState())
}

// changeText says who can make a change that would help.
func changeText(class, kind string) string {
	if class == "ask" {
		return words.WhoCan(kind) + " can change this"
	}
	return "you can change this"
}

// causeText is why a workload failed, in a sentence.
func causeText(cause, node string) string {
	switch cause {
	case "":
		return "Signals are still coming in; the cause is said 5 minutes after its end."
	case "infra":
		return "The cause is infra: " + words.BrokenBy(node) + "."
	case "own":
		return "The cause is its own: signals spoke against the work, not against its nodes."
	}
	return "The cause is not known: Muster was told that it ended by failing, and nothing more."
}

// Why is what keeps a workload from starting, or why it failed.
func Why(v *frame.Visit) (frame.Page, error) {
	why, err := v.Workloads.Why(v.Ctx, &musterv1.WhyRequest{AsOf: v.AsOf, Namespace: v.Request.PathValue("namespace"), Name: v.Request.PathValue("name")})
	if err != nil {
		return frame.Page{}, err
	}
	m := view{v: v, w: why.GetWorkload()}
	return frame.Page{Part: true, Body: whyBody(m, why)}, nil
}

// Help is what would help, and when it starts: it takes longer than a page may. Of a large fleet it takes
// seconds, and is tried once, when the reader asks for it.
func Help(v *frame.Visit) (frame.Page, error) {
	search := parts.Search(v.Request.URL.Query())
	asked := v.Request.URL.Query().Get("try") != "" || search != nil
	why, err := v.Workloads.Why(v.Ctx, &musterv1.WhyRequest{AsOf: v.AsOf, Namespace: v.Request.PathValue("namespace"), Name: v.Request.PathValue("name"), Help: true, Patient: asked, Search: search})
	if err != nil {
		return frame.Page{}, err
	}
	if why.GetMissed() && why.GetForecast() == nil && !asked {
		return frame.Page{Part: true, Body: helpUntried(v, why)}, nil
	}
	return frame.Page{Part: true, Body: helpBody(v, why, asked)}, nil
}

// Story is everything that was done to a workload, as a ribbon and as a list.
func Story(v *frame.Visit) (frame.Page, error) {
	why, err := v.Workloads.Why(v.Ctx, &musterv1.WhyRequest{AsOf: v.AsOf, Namespace: v.Request.PathValue("namespace"), Name: v.Request.PathValue("name"), History: true})
	if err != nil {
		return frame.Page{}, err
	}
	life := picture.LifeOf(why, v.At())
	return frame.Page{Part: true, Body: storyBody(v, why, life.Draw(draw.Wide), life.Draw(draw.Narrow), life.Inks())}, nil
}
