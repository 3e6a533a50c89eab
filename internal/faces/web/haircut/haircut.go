package haircut

import (
	"slices"
	"strconv"
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/picture"
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
		return a, nil, frame.Wrong("Policy", frame.Unfit(a.kind, "a policy", words.AnyBufferKind()))
	}
	ask.Buffer = &musterv1.Buffer{Kind: a.kind}
	if words.BufferLearns(a.kind) {
		return a, ask, nil
	}
	share, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(a.share), "%"), 64)
	if err != nil || share < 0 || share > 100 {
		return a, nil, frame.Wrong("Buffer", frame.Unfit(a.share, "a share from 0 to 100 %", "one such as 15"))
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
		", in " + draw.Count(len(h.GetWaves()), "wave") + "." + wavesInForce(h)
}

// wavesInForce says how many waves of a saved plan were applied; "" where none was.
func wavesInForce(h *musterv1.Haircut) string {
	if !slices.ContainsFunc(h.GetWaves(), waveInForce) {
		return ""
	}
	return " In force: " + inForce(h) + " waves."
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

// effects are what each policy would do, as columns and, on a narrow screen, as labels.
var effects = []string{"sustainable", "excess", "cut", "of it above usage", "idle", "the rest", "quotas", "owners", "below gang"}

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
