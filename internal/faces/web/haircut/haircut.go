package web

import (
	"net/http"
	"strconv"
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/picture"
)

// haircutView is a plan, a draft or a saved one.
type haircutView struct {
	v            *visit
	h            *musterv1.Haircut
	ask          haircutAsk
	saved        []*musterv1.Haircut
	wide, narrow draw.SVG
	rows         []draw.Dumbbell
	operator     bool
	more         int
}

// haircutAsk is the form.
type haircutAsk struct{ scope, basis, kind, share string }

func askOf(v *visit) (haircutAsk, *musterv1.HaircutAsk, error) {
	q := v.r.Form
	if q == nil {
		q = v.r.URL.Query()
	}
	a := haircutAsk{q.Get("scope"), q.Get("basis"), q.Get("kind"), q.Get("share")}
	ask := &musterv1.HaircutAsk{Scope: a.scope, Basis: a.basis}
	switch a.kind {
	case "":
	case "fixed":
		share, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(a.share), "%"), 64)
		if err != nil || share < 0 || share > 100 {
			return a, nil, &wrongInput{"Buffer", "is no share from 0 to 100 %: " + short(a.share, 20)}
		}
		ask.Buffer = &musterv1.Buffer{Kind: a.kind, Share: share / 100}
	case "calibrated", "binomial":
		ask.Buffer = &musterv1.Buffer{Kind: a.kind}
	default:
		return a, nil, &wrongInput{"Policy", "is none of fixed, calibrated and binomial: " + short(a.kind, 20)}
	}
	return a, ask, nil
}

// command is what drafts the same plan on the command line.
func (a haircutAsk) command() string {
	s := "muster haircut plan"
	if a.scope != "" {
		s += " " + a.scope
	}
	if a.basis != "" {
		s += " --basis " + a.basis
	}
	switch a.kind {
	case "":
	case "fixed":
		share, _ := strconv.ParseFloat(strings.TrimSuffix(a.share, "%"), 64)
		s += " --policy " + strconv.FormatFloat(share, 'f', -1, 64) + "%"
	default:
		s += " --policy " + a.kind
	}
	return s
}

func haircutsPage(v *visit) (page, error) {
	a, ask, err := askOf(v)
	if err != nil {
		return page{}, err
	}
	d, err := v.Haircuts.DraftHaircut(v.ctx, &musterv1.DraftHaircutRequest{AsOf: v.asOf, Ask: ask})
	if err != nil {
		return page{}, err
	}
	l, err := v.Haircuts.ListHaircuts(v.ctx, &musterv1.ListHaircutsRequest{AsOf: v.asOf})
	if err != nil {
		return page{}, err
	}
	m := haircutView{v: v, h: d.GetHaircut(), ask: a, saved: l.GetHaircuts(), operator: v.operator()}
	if err := m.draw(); err != nil {
		return page{}, err
	}
	return page{title: "Haircut", nav: "haircuts", command: a.command(), body: draftBody(m), lead: haircutLead(m.h)}, nil
}

func (v *visit) operator() bool {
	h, err := v.heads.of(v)
	return err == nil && h.status.GetOperator()
}

func haircutLead(h *musterv1.Haircut) string {
	if h.GetSums().GetTotal() == 0 {
		return "Nothing needs to be cut: assigned is within what is sustainable everywhere."
	}
	return "Brings assigned down to sustainable: " + draw.Count(int(h.GetSums().GetTotal()), "GPU") + " from " + draw.Count(int(h.GetQuotas()), "quota") +
		", in " + draw.Count(len(h.GetWaves()), "wave") + "."
}

// draw makes a dumbbell for each grant that a plan looks at.
func (m *haircutView) draw() error {
	q, err := m.v.Quotas.ListQuotas(m.v.ctx, &musterv1.ListQuotasRequest{AsOf: m.v.asOf})
	if err != nil {
		return err
	}
	m.rows = picture.Dumbbells(m.h, q.GetQuotas(), m.used(), m.v.to)
	if len(m.rows) > picture.MostDumbbells {
		m.more, m.rows = len(m.rows)-picture.MostDumbbells, m.rows[:picture.MostDumbbells]
	}
	m.wide, m.narrow = draw.Dumbbells(m.rows, draw.Wide), draw.Dumbbells(m.rows, draw.Narrow)
	return nil
}

// used is what quotas used in 90 days. The picture is drawn without: a past that
// cannot be read is no reason to show nothing.
func (m *haircutView) used() []*musterv1.QuotaUsed {
	soon, end := m.v.soon()
	defer end()
	u, err := m.v.Past.QuotaUse(soon, &musterv1.QuotaUseRequest{AsOf: m.v.asOf})
	if err != nil {
		return nil
	}
	return u.GetQuotas()
}

// comparePart says what several policies would lead to.
func comparePart(v *visit) (page, error) {
	var buffers []*musterv1.Buffer
	for _, share := range []float64{0.05, 0.10, 0.15, 0.20} {
		buffers = append(buffers, &musterv1.Buffer{Kind: "fixed", Share: share})
	}
	buffers = append(buffers, &musterv1.Buffer{Kind: "binomial"}, &musterv1.Buffer{Kind: "calibrated"})
	c, err := v.Haircuts.CompareHaircuts(v.ctx, &musterv1.CompareHaircutsRequest{AsOf: v.asOf, Scope: v.r.URL.Query().Get("scope"), Buffers: buffers})
	if err != nil {
		return page{}, err
	}
	return page{part: true, body: compareBody(v, c.GetEffects())}, nil
}

func haircutPage(v *visit) (page, error) {
	name := v.r.PathValue("name")
	g, err := v.Haircuts.GetHaircut(v.ctx, &musterv1.GetHaircutRequest{AsOf: v.asOf, Name: name})
	if err != nil {
		return page{}, err
	}
	m := haircutView{v: v, h: g.GetHaircut(), operator: v.operator()}
	if err := m.draw(); err != nil {
		return page{}, err
	}
	return page{
		title: "Haircut " + name, nav: "haircuts", crumbs: []crumb{{"Haircut", "/haircuts"}}, command: words.Shell("muster", "haircut", "show", name), body: savedBody(m),
		lead: haircutLead(m.h),
	}, nil
}

// stepView is what somebody is about to do to a wave: the difference first.
type stepView struct {
	v       *visit
	h       *musterv1.Haircut
	wave    *musterv1.HaircutWave
	undo    bool
	written *musterv1.Written // of trying it
	no      string            // why it would be refused
	command string
}

// stepPage shows what applying or undoing a wave would change, and asks why.
func stepPage(v *visit) (page, error) {
	name, step, cluster := v.r.PathValue("name"), v.r.PathValue("step"), v.r.URL.Query().Get("cluster")
	if step != "apply" && step != "undo" {
		return nowhere(v)
	}
	g, err := v.Haircuts.GetHaircut(v.ctx, &musterv1.GetHaircutRequest{Name: name})
	if err != nil {
		return page{}, err
	}
	m := stepView{v: v, h: g.GetHaircut(), undo: step == "undo", command: words.Shell("muster", "haircut", step, name, cluster, "--reason", "…")}
	for _, w := range m.h.GetWaves() {
		if w.GetCluster() == cluster {
			m.wave = w
		}
	}
	if m.wave == nil {
		return page{}, &missing{"The plan " + short(name, 60) + " has no wave for " + short(cluster, 60) + ".", "Its page lists its waves."}
	}
	try := &musterv1.Write{DryRun: true, Reason: "tried"}
	if m.undo {
		a, err := v.Haircuts.UndoHaircut(v.ctx, &musterv1.UndoHaircutRequest{Write: try, Name: name, Cluster: cluster})
		m.written, m.no = a.GetWritten(), refusalText(err)
	} else {
		a, err := v.Haircuts.ApplyHaircut(v.ctx, &musterv1.ApplyHaircutRequest{Write: try, Name: name, Cluster: cluster})
		m.written, m.no = a.GetWritten(), refusalText(err)
	}
	title := "Apply the wave of " + cluster
	if m.undo {
		title = "Undo the wave of " + cluster
	}
	return page{
		title: title, nav: "haircuts", still: true, command: m.command, body: stepBody(m),
		crumbs: []crumb{{"Haircut", "/haircuts"}, {name, "/haircut/" + name}}, lead: "Nothing is changed yet. This is what would be.",
	}, nil
}

func refusalText(err error) string {
	if err == nil {
		return ""
	}
	return troubleOf(err).text
}

// saveHaircut keeps a draft under a name.
func saveHaircut(v *visit) (string, error) {
	_, ask, err := askOf(v)
	if err != nil {
		return "", err
	}
	w := v.write()
	if err := reasoned(w); err != nil {
		return "", err
	}
	p, err := v.Haircuts.PlanHaircut(v.ctx, &musterv1.PlanHaircutRequest{Write: w, Name: strings.TrimSpace(v.r.PostFormValue("name")), Ask: ask})
	if err != nil {
		return "", err
	}
	name := p.GetHaircut().GetName()
	v.say("The plan " + name + " is saved. Somebody should look at it before it is applied.")
	return "/haircut/" + name, nil
}

// doHaircut reviews, tells, applies or undoes.
func doHaircut(v *visit) (string, error) {
	name, cluster := v.r.PathValue("name"), v.r.PostFormValue("cluster")
	w := v.write()
	err := reasoned(w)
	if err != nil {
		return "", err
	}
	switch v.r.PathValue("step") {
	case "review":
		_, err = v.Haircuts.ReviewHaircut(v.ctx, &musterv1.ReviewHaircutRequest{Write: w, Name: name})
		v.sayIf(err, "You have reviewed the plan.")
	case "tell":
		_, err = v.Haircuts.TellHaircut(v.ctx, &musterv1.TellHaircutRequest{Write: w, Name: name, Cluster: cluster})
		v.sayIf(err, "It is noted that the people concerned were told.")
	case "apply":
		_, err = v.Haircuts.ApplyHaircut(v.ctx, &musterv1.ApplyHaircutRequest{Write: w, Name: name, Cluster: cluster})
		v.sayIf(err, "The wave of "+cluster+" is in force. It can be undone.")
	case "undo":
		_, err = v.Haircuts.UndoHaircut(v.ctx, &musterv1.UndoHaircutRequest{Write: w, Name: name, Cluster: cluster})
		v.sayIf(err, "The wave of "+cluster+" is undone.")
	default:
		err = &wrongInput{"step", "is none of review, tell, apply and undo"}
	}
	return "/haircut/" + name, err
}

func (v *visit) sayIf(err error, text string) {
	if err == nil {
		v.say(text)
	}
}

// reasoned asks for a reason where one must be given.
func reasoned(w *musterv1.Write) error {
	if strings.TrimSpace(w.GetReason()) == "" {
		return &wrongInput{"Reason", "is missing: say why, so that people can read it later"}
	}
	return nil
}

// exportHaircut hands out a plan as a file.
func (s *Server) exportHaircut(w http.ResponseWriter, r *http.Request) {
	v, err := s.visit(w, r)
	if err != nil {
		v.fail(err)
		return
	}
	format := r.URL.Query().Get("format")
	if format != "csv" {
		format = "xlsx"
	}
	ask := &musterv1.ExportHaircutRequest{AsOf: v.asOf, Name: r.URL.Query().Get("name"), Format: format}
	if ask.Name == "" {
		if _, ask.Ask, err = askOf(v); err != nil {
			v.fail(err)
			return
		}
	}
	x, err := v.Haircuts.ExportHaircut(v.ctx, ask)
	if err != nil {
		v.fail(err)
		return
	}
	kind := "text/csv; charset=utf-8"
	if format == "xlsx" {
		kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	}
	name := ask.GetName()
	if name == "" {
		name = "draft"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Disposition", `attachment; filename="haircut-`+strings.Map(fileLetter, name)+"."+format+`"`)
	_, _ = w.Write(x.GetContent())
}

func fileLetter(r rune) rune {
	if r > 0x20 && r < 0x7f && !strings.ContainsRune(`"\/`, r) {
		return r
	}
	return '-'
}
