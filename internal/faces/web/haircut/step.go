package haircut

import (
	"slices"
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/web/events"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
	"github.com/muster-fleet/muster/internal/faces/web/parts"
)

// stepView is what a reader is about to do to a wave: the difference first.
type stepView struct {
	v       *frame.Visit
	h       *musterv1.Haircut
	wave    *musterv1.HaircutWave
	undo    bool
	loses   []string // running work that would become unprotected, in sentences
	would   []string // what else would be written
	more    int      // sentences that are left out
	no      string   // why it would be refused
	over    string   // why it would be refused without overcommit
	command string
}

// Step shows what applying or undoing a wave would change, and asks why.
func Step(v *frame.Visit) (frame.Page, error) {
	name, step, cluster := v.Request.PathValue("name"), v.Request.PathValue("step"), v.Request.URL.Query().Get("cluster")
	class := v.Request.URL.Query().Get("class")
	if step != "apply" && step != "undo" {
		return frame.Nowhere(v)
	}
	g, err := v.Haircuts.GetHaircut(v.Ctx, &musterv1.GetHaircutRequest{Name: name})
	if err != nil {
		return frame.Page{}, err
	}
	m := stepView{v: v, h: g.GetHaircut(), undo: step == "undo", command: words.Shell("muster", "haircut", step, name, cluster, "--reason", "…")}
	if m.early() {
		m.command = words.Shell("muster", "haircut", step, name, cluster, "--early", "--reason", "…")
	}
	m.wave = m.find(cluster, class)
	if m.wave == nil {
		if cluster == "" {
			return frame.Page{}, frame.Missing("The address names no wave of the plan "+parts.Short(name, 60)+".", "Its page lists its waves.")
		}
		return frame.Page{}, frame.Missing("The plan "+parts.Short(name, 60)+" has no wave for "+parts.Short(cluster, 60)+".", "Its page lists its waves.")
	}
	try := &musterv1.Write{DryRun: true, Reason: onTrial}
	if m.undo {
		m.tryUndo(&musterv1.UndoHaircutRequest{Write: try, Name: name, Cluster: cluster})
	} else {
		a, err := v.Haircuts.ApplyHaircut(v.Ctx, &musterv1.ApplyHaircutRequest{Write: try, Name: name, Cluster: cluster, Class: class})
		m.tell(a.GetWritten())
		m.no = frame.Explain(err)
	}
	title := "Apply " + m.waveName()
	if m.undo {
		title = "Undo " + m.waveName()
	}
	return frame.Page{
		Title: title, Nav: "haircuts", Still: true, Command: m.command, Body: stepBody(m),
		Crumbs: frame.Under("Haircut", "/haircuts", name, "/haircut/"+name), Lead: "Nothing is changed yet. This is what would change.",
	}, nil
}

// early says whether the wave would be applied before the day that people were told.
func (m stepView) early() bool {
	return !m.undo && m.h.GetEffective() != nil && m.h.GetEffective().AsTime().After(m.v.Now)
}

// tryUndo tries to undo the wave; where its room was granted or held since, with overcommit.
func (m *stepView) tryUndo(ask *musterv1.UndoHaircutRequest) {
	a, err := m.v.Haircuts.UndoHaircut(m.v.Ctx, ask)
	if frame.Overpromises(err) {
		m.over, ask.Overcommit = frame.Explain(err), true
		m.command = words.Shell("muster", "haircut", "undo", ask.GetName(), ask.GetCluster(), "--overcommit", "--reason", "…")
		a, err = m.v.Haircuts.UndoHaircut(m.v.Ctx, ask)
	}
	m.tell(a.GetWritten())
	m.no = frame.Explain(err)
}

// onTrial is the reason of what is only tried.
const onTrial = "tried"

// mostSentences is how many things that would happen the page lists.
const mostSentences = 50

// tell says what trying the wave would have written: apart, what running work loses.
func (m *stepView) tell(w *musterv1.Written) {
	var cuts, rest []*musterv1.Event
	for _, e := range w.GetEvents() {
		if e.GetKind() == "protection.cut" {
			cuts = append(cuts, e)
		} else {
			rest = append(rest, e)
		}
	}
	m.loses, m.would = events.Sentences(m.v, cuts), events.Sentences(m.v, rest)
	for i, one := range m.loses { // the reader sees which plan it is, and has given no reason yet
		m.loses[i] = strings.TrimSuffix(one, ": haircut "+m.h.GetName()+": "+onTrial)
	}
	if len(m.would) > mostSentences {
		m.more, m.would = len(m.would)-mostSentences, m.would[:mostSentences]
	}
}

// waveName is the wave as refusals call it: by its number in the plan, its cluster and what it cuts.
func (m stepView) waveName() string {
	name := "wave " + parts.Plain(slices.Index(m.h.GetWaves(), m.wave)+1) + " (" + m.wave.GetCluster()
	if class := m.wave.GetClass(); class != "" {
		name += ": " + words.CutClass(class)
	}
	return name + ")"
}

// find is the wave that is to be undone, the last in force over a cluster; or that
// is to be applied: of a class, or the first that is not in force.
func (m stepView) find(cluster, class string) (found *musterv1.HaircutWave) {
	for _, w := range m.h.GetWaves() {
		if w.GetCluster() != cluster {
			continue
		}
		first := found == nil || waveInForce(found)
		if m.undo && waveInForce(w) || !m.undo && (class == w.GetClass() || class == "" && first) || found == nil && class == "" {
			found = w
		}
	}
	return found
}
