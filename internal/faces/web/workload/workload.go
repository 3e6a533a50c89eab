package web

import (
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/picture"
)

// workloadView is what the page of a workload shows.
type workloadView struct {
	v    *visit
	w    *musterv1.Workload
	id   string // namespace/name
	path string
	maps []islandMap
	// What is coming to it or to its nodes; asked only while it is there.
	coming comingView
}

func workloadPage(v *visit) (page, error) {
	ns, name := v.r.PathValue("namespace"), v.r.PathValue("name")
	g, err := v.Workloads.GetWorkload(v.ctx, &musterv1.GetWorkloadRequest{AsOf: v.asOf, Namespace: ns, Name: name})
	if err != nil {
		return page{}, err
	}
	m := workloadView{v: v, w: g.GetWorkload(), id: ns + "/" + name, path: "/workload/" + ns + "/" + name}
	if len(m.w.GetNodes()) > 0 && m.w.GetPartition() != "" {
		if m.maps, err = v.islands(m.w.GetPartition(), m.w.GetIslands(), m.w.GetNodes(), nil); err != nil {
			return page{}, err
		}
	}
	if m.w.GetPartition() != "" && m.w.GetEnded() == nil {
		if m.coming, err = v.comingTo(m.w); err != nil {
			return page{}, err
		}
	}
	return page{
		title: m.id, nav: "workloads", crumbs: []crumb{{"Workloads", "/workloads"}}, command: words.Shell("muster", "why", m.id, "--history"),
		lead: m.sentence(), body: workloadBody(m),
	}, nil
}

// sentence says how it is, at once.
func (m workloadView) sentence() string {
	w := m.w
	to := w.GetSpec().GetTarget()
	switch w.GetState() {
	case "pending", "starting":
		s := "Waits for " + to + ", " + lasted(w.GetWaited().AsDuration()) + " so far"
		if w.GetPosition() > 0 {
			s += ", number " + plain(int(w.GetPosition())) + " in its queue"
		}
		if w.GetReason() != "" {
			s += ". The reason is " + w.GetReason()
		}
		return s + "."
	case "finished", "failed", "cancelled":
		return strings.ToUpper(w.GetState()[:1]) + w.GetState()[1:] + " " + clock(w.GetEnded().AsTime(), m.v.now) + "; it waited " + lasted(w.GetWaited().AsDuration()) + " in all."
	}
	return "Is " + w.GetState() + " on " + draw.Count(int(w.GetGpus()), "GPU") + " of " + w.GetPartition() + ", held as " + w.GetHolds() + ", since " + clock(w.GetStarted().AsTime(), m.v.now) + "."
}

// waits says whether the workload waits for room.
func (m workloadView) waits() bool {
	return m.w.GetState() == "pending" || m.w.GetState() == "starting"
}

// classText says who can do something about a blocker.
func classText(class string) string {
	switch class {
	case "change":
		return "you can change that"
	case "ask":
		return "an owner or an operator can change that"
	case "fault":
		return "something is broken"
	}
	return "time will do"
}

// whyPart is what keeps a workload from starting, or why it failed.
func whyPart(v *visit) (page, error) {
	why, err := v.Workloads.Why(v.ctx, &musterv1.WhyRequest{AsOf: v.asOf, Namespace: v.r.PathValue("namespace"), Name: v.r.PathValue("name")})
	if err != nil {
		return page{}, err
	}
	m := workloadView{v: v, w: why.GetWorkload()}
	return page{part: true, body: whyBody(m, why)}, nil
}

// helpPart is what would help, and when it starts: it takes longer than a page may. Of a large fleet it takes
// seconds, and is tried once, when the reader asks for it.
func helpPart(v *visit) (page, error) {
	asked := v.r.URL.Query().Get("try") != ""
	why, err := v.Workloads.Why(v.ctx, &musterv1.WhyRequest{AsOf: v.asOf, Namespace: v.r.PathValue("namespace"), Name: v.r.PathValue("name"), Help: true, Patient: asked})
	if err != nil {
		return page{}, err
	}
	if why.GetMissed() && why.GetForecast() == nil && !asked {
		return page{part: true, body: helpUntried(v, why)}, nil
	}
	return page{part: true, body: helpBody(v, why, asked)}, nil
}

// storyPart is everything that was done to a workload, as a ribbon and as a list.
func storyPart(v *visit) (page, error) {
	why, err := v.Workloads.Why(v.ctx, &musterv1.WhyRequest{AsOf: v.asOf, Namespace: v.r.PathValue("namespace"), Name: v.r.PathValue("name"), History: true})
	if err != nil {
		return page{}, err
	}
	life := picture.LifeOf(why, v.at())
	return page{part: true, body: storyBody(v, why, life.Draw(draw.Wide), life.Draw(draw.Narrow), life.Inks())}, nil
}
