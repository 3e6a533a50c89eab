package haircut

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/picture"
	"github.com/muster-fleet/muster/internal/faces/web/events"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
	"github.com/muster-fleet/muster/internal/faces/web/parts"
)

// view is a plan, a draft or a saved one.
type view struct {
	v            *frame.Visit
	h            *musterv1.Haircut
	ask          form
	saved        []*musterv1.Haircut
	wide, narrow draw.SVG
	rows         []draw.Dumbbell
	operator     bool
	more         int
	letters      []*musterv1.HaircutMessage // to the people whom a saved plan concerns
}

// form is the form.
type form struct{ scope, basis, kind, share string }

func askOf(v *frame.Visit) (form, *musterv1.HaircutAsk, error) {
	q := v.Request.Form
	if q == nil {
		q = v.Request.URL.Query()
	}
	a := form{q.Get("scope"), q.Get("basis"), q.Get("kind"), q.Get("share")}
	ask := &musterv1.HaircutAsk{Scope: a.scope, Basis: a.basis}
	if a.kind == "" {
		return a, ask, nil
	}
	i := slices.IndexFunc(words.BufferKinds(), func(kind words.BufferKind) bool { return kind.Name == a.kind })
	if i < 0 {
		return a, nil, frame.Wrong("Policy", "is no "+words.AnyBufferKind()+": "+parts.Short(a.kind, 20))
	}
	ask.Buffer = &musterv1.Buffer{Kind: a.kind}
	if words.BufferLearns(a.kind) {
		return a, ask, nil
	}
	share, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(a.share), "%"), 64)
	if err != nil || share < 0 || share > 100 {
		return a, nil, frame.Wrong("Buffer", "is no share from 0 to 100 %: "+parts.Short(a.share, 20))
	}
	ask.Buffer.Share = share / 100
	return a, ask, nil
}

// command is what drafts the same plan on the command line.
func (a form) command() string {
	s := "muster haircut plan"
	if a.scope != "" {
		s += " " + a.scope
	}
	if a.basis != "" {
		s += " --basis " + a.basis
	}
	if a.kind != "" {
		share, _ := strconv.ParseFloat(strings.TrimSuffix(a.share, "%"), 64)
		s += " --policy " + words.PolicyWord(a.kind, share)
	}
	return s
}

// List drafts a plan, and lists those that are saved.
func List(v *frame.Visit) (frame.Page, error) {
	a, ask, err := askOf(v)
	if err != nil {
		return frame.Page{}, err
	}
	d, err := v.Haircuts.DraftHaircut(v.Ctx, &musterv1.DraftHaircutRequest{AsOf: v.AsOf, Ask: ask})
	if err != nil {
		return frame.Page{}, err
	}
	l, err := v.Haircuts.ListHaircuts(v.Ctx, &musterv1.ListHaircutsRequest{AsOf: v.AsOf})
	if err != nil {
		return frame.Page{}, err
	}
	m := view{v: v, h: d.GetHaircut(), ask: a, saved: l.GetHaircuts(), operator: v.May("", "manager", "admin")}
	if err := m.draw(); err != nil {
		return frame.Page{}, err
	}
	return frame.Page{Title: "Haircut", Nav: "haircuts", Command: a.command(), Body: draftBody(m), Lead: lead(m.h)}, nil
}

func lead(h *musterv1.Haircut) string {
	if h.GetSums().GetTotal() == 0 {
		return "Nothing needs to be cut: everywhere, assigned is at most what is sustainable."
	}
	does := "Brings assigned down to sustainable: "
	if h.GetAsk().GetBasis() == "quota" {
		does = "Cuts every grant by the buffer: "
	}
	return does + draw.Count(int(h.GetSums().GetTotal()), "GPU") + " from " + draw.Count(int(h.GetQuotas()), "quota") +
		", in " + draw.Count(len(h.GetWaves()), "wave") + "."
}

// draw makes a dumbbell for each grant that a plan looks at.
func (m *view) draw() error {
	q, err := m.v.Quotas.ListQuotas(m.v.Ctx, &musterv1.ListQuotasRequest{AsOf: m.v.AsOf})
	if err != nil {
		return err
	}
	m.rows = picture.Dumbbells(m.h, q.GetQuotas(), m.used(), m.v.To)
	if len(m.rows) > picture.MostDumbbells {
		m.more, m.rows = len(m.rows)-picture.MostDumbbells, m.rows[:picture.MostDumbbells]
	}
	m.wide, m.narrow = draw.Dumbbells(m.rows, draw.Wide), draw.Dumbbells(m.rows, draw.Narrow)
	return nil
}

// used is what quotas used in 90 days. The picture is drawn without: a past that
// cannot be read is no reason to show nothing.
func (m *view) used() []*musterv1.QuotaUsed {
	soon, end := m.v.Soon()
	defer end()
	u, err := m.v.Past.QuotaUse(soon, &musterv1.QuotaUseRequest{AsOf: m.v.AsOf})
	if err != nil {
		return nil
	}
	return u.GetQuotas()
}

// Compare says what several policies would lead to.
func Compare(v *frame.Visit) (frame.Page, error) {
	c, err := v.Haircuts.CompareHaircuts(v.Ctx, &musterv1.CompareHaircutsRequest{AsOf: v.AsOf, Scope: v.Request.URL.Query().Get("scope"), Buffers: compared()})
	if err != nil {
		return frame.Page{}, err
	}
	return frame.Page{Part: true, Body: compareBody(v, c.GetEffects())}, nil
}

// compared are the policies that stand side by side: some shares of each kind that keeps
// one back, and all kinds that learn.
func compared() (buffers []*musterv1.Buffer) {
	for _, kind := range words.BufferKinds() {
		if kind.Learns {
			buffers = append(buffers, &musterv1.Buffer{Kind: kind.Name})
			continue
		}
		for _, share := range []float64{0.05, 0.10, 0.15, 0.20} {
			buffers = append(buffers, &musterv1.Buffer{Kind: kind.Name, Share: share})
		}
	}
	return buffers
}

// Page is the page of a saved plan.
func Page(v *frame.Visit) (frame.Page, error) {
	name := v.Request.PathValue("name")
	g, err := v.Haircuts.GetHaircut(v.Ctx, &musterv1.GetHaircutRequest{AsOf: v.AsOf, Name: name})
	if err != nil {
		return frame.Page{}, err
	}
	m := view{v: v, h: g.GetHaircut(), operator: v.May("", "manager", "admin")}
	if err := m.draw(); err != nil {
		return frame.Page{}, err
	}
	l, err := v.Haircuts.HaircutMessages(v.Ctx, &musterv1.HaircutMessagesRequest{AsOf: v.AsOf, Name: name})
	if err != nil {
		return frame.Page{}, err
	}
	m.letters = l.GetMessages()
	return frame.Page{
		Title: "Haircut " + name, Nav: "haircuts", Crumbs: frame.Under("Haircut", "/haircuts"), Command: words.Shell("muster", "haircut", "show", name), Body: savedBody(m),
		Lead: lead(m.h),
	}, nil
}

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
	m.wave = m.find(cluster, class)
	if m.wave == nil {
		return frame.Page{}, frame.Missing("The plan "+parts.Short(name, 60)+" has no wave for "+parts.Short(cluster, 60)+".", "Its page lists its waves.")
	}
	try := &musterv1.Write{DryRun: true, Reason: onTrial}
	if m.undo {
		a, err := v.Haircuts.UndoHaircut(v.Ctx, &musterv1.UndoHaircutRequest{Write: try, Name: name, Cluster: cluster})
		m.tell(a.GetWritten())
		m.no = frame.Explain(err)
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

func waveInForce(w *musterv1.HaircutWave) bool { return w.GetApplied() != nil && w.GetUndone() == nil }

// told is when it was last noted that people were told; nil: it was not for each wave.
func (m view) told() (last *musterv1.HaircutWave) {
	for _, w := range m.h.GetWaves() {
		if w.GetTold() == nil {
			return nil
		}
		if last == nil || w.GetTold().AsTime().After(last.GetTold().AsTime()) {
			last = w
		}
	}
	return last
}

// unused says whether no wave of the plan is in force, so that it can be deleted.
func (m view) unused() bool { return !slices.ContainsFunc(m.h.GetWaves(), waveInForce) }

// why says why a cut is not what was asked, and what of it would have ended.
func why(c *musterv1.HaircutCut) string {
	s := words.CutWhy(c.GetWhy())
	if n := c.GetCutTemporary(); n > 0 {
		if s != "" {
			s += "; "
		}
		s += draw.Number(int(n)) + " would end " + parts.Day(c.GetTemporaryUntil().AsTime())
	}
	return s
}

// lastInForce says whether a wave is what undoing over its cluster would undo.
func (m view) lastInForce(w *musterv1.HaircutWave) bool {
	var last *musterv1.HaircutWave
	for _, one := range m.h.GetWaves() {
		if one.GetCluster() == w.GetCluster() && waveInForce(one) {
			last = one
		}
	}
	return last == w
}

// Save keeps a draft under a name.
func Save(v *frame.Visit) (string, error) {
	_, ask, err := askOf(v)
	if err != nil {
		return "", err
	}
	w, err := v.Reasoned()
	if err != nil {
		return "", err
	}
	effective, err := effectiveOf(v)
	if err != nil {
		return "", err
	}
	p, err := v.Haircuts.PlanHaircut(v.Ctx, &musterv1.PlanHaircutRequest{
		Write: w, Name: strings.TrimSpace(v.Request.PostFormValue("name")), Ask: ask, Effective: effective,
	})
	if err != nil {
		return "", err
	}
	name := p.GetHaircut().GetName()
	v.Say("The plan " + name + " is saved. Have it reviewed before it is applied.")
	return "/haircut/" + name, nil
}

// effectiveOf is the day from which waves take effect, if the form names one.
func effectiveOf(v *frame.Visit) (*timestamppb.Timestamp, error) {
	word := strings.TrimSpace(v.Request.PostFormValue("effective"))
	if word == "" {
		return nil, nil
	}
	at, ok := words.Ahead(strings.TrimSuffix(word, " UTC"), v.Now, time.UTC)
	if !ok || !at.After(v.Now) {
		return nil, frame.Wrong("effective", "is not a moment to come: "+parts.Short(word, 40)+"; write "+words.AheadExamples)
	}
	return timestamppb.New(at), nil
}

// Do reviews, tells, applies or undoes.
func Do(v *frame.Visit) (string, error) {
	name, cluster := v.Request.PathValue("name"), v.Request.PostFormValue("cluster")
	w, err := v.Reasoned()
	if err != nil {
		return "", err
	}
	switch v.Request.PathValue("step") {
	case "review":
		_, err = v.Haircuts.ReviewHaircut(v.Ctx, &musterv1.ReviewHaircutRequest{Write: w, Name: name})
		v.SayIf(err, "You have reviewed the plan.")
	case "tell":
		told, failed := v.Haircuts.TellHaircut(v.Ctx, &musterv1.TellHaircutRequest{Write: w, Name: name, Cluster: cluster})
		err = failed
		v.SayIf(err, "It is noted that "+cmp.Or(words.Few(told.GetPeople(), 8), "the people concerned")+" were told.")
	case "apply":
		_, err = v.Haircuts.ApplyHaircut(v.Ctx, &musterv1.ApplyHaircutRequest{Write: w, Name: name, Cluster: cluster, Class: v.Request.PostFormValue("class")})
		v.SayIf(err, "The wave over "+cluster+" is in force. It can be undone.")
	case "undo":
		_, err = v.Haircuts.UndoHaircut(v.Ctx, &musterv1.UndoHaircutRequest{Write: w, Name: name, Cluster: cluster})
		v.SayIf(err, "The wave over "+cluster+" is undone.")
	case "delete":
		if _, err = v.Haircuts.DeleteHaircut(v.Ctx, &musterv1.DeleteHaircutRequest{Write: w, Name: name}); err == nil {
			v.Say("The plan " + name + " is deleted.")
			return "/haircuts", nil
		}
	default:
		err = frame.Wrong("step", "is none of review, tell, apply, undo and delete")
	}
	return "/haircut/" + name, err
}

// Export hands out a plan, or a draft of one, as a file.
func Export(v *frame.Visit) error {
	format := v.Query("format")
	if format != "csv" {
		format = "xlsx"
	}
	ask := &musterv1.ExportHaircutRequest{AsOf: v.AsOf, Name: v.Query("name"), Format: format}
	if ask.Name == "" {
		var err error
		if _, ask.Ask, err = askOf(v); err != nil {
			return err
		}
	}
	x, err := v.Haircuts.ExportHaircut(v.Ctx, ask)
	if err != nil {
		return err
	}
	name := cmp.Or(ask.GetName(), "draft")
	h := v.Writer.Header()
	h.Set("Content-Type", fileTypes[format])
	h.Set("Content-Disposition", `attachment; filename="haircut-`+strings.Map(fileLetter, name)+"."+format+`"`)
	_, _ = v.Writer.Write(x.GetContent())
	return nil
}

var fileTypes = map[string]string{
	"csv":  "text/csv; charset=utf-8",
	"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

func fileLetter(r rune) rune {
	if r > 0x20 && r < 0x7f && !strings.ContainsRune(`"\/`, r) {
		return r
	}
	return '-'
}
