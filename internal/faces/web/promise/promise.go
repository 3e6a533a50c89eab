package promise

import (
	"cmp"
	"net/url"
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

// view is what the page of promises shows.
type view struct {
	v            *frame.Visit
	later        string
	scope        string
	rows         []*musterv1.Promises
	islands      []*musterv1.Promises
	byIsland     string // where those are
	spares       []*musterv1.Spares
	ofIslands    int64 // promises of islands' own shares that were broken
	known        bool  // that was counted
	moreSpares   int   // that are enough, and not listed
	wide, narrow draw.SVG
	trying
}

// trying is what another policy would have done.
type trying struct {
	trades       *musterv1.FrontierResponse
	fwide, fnarr draw.SVG
	kind         string // of the policy that is tried
	share        int    // of the slider, in thousandths: what fixed keeps back, or the confidence of the others
	trial        *musterv1.FrontierPoint
	trouble      string // why the past could not be tried
}

// frontierPath is the part of the page that tries buffers against the past.
const frontierPath = "/part/frontier"

// Page is the page of promises, and its part that tries policies.
func Page(v *frame.Visit) (frame.Page, error) {
	m := view{v: v, scope: v.Request.URL.Query().Get("scope")}
	if err := m.ask(v.Request.URL.Query()); err != nil {
		return frame.Page{}, err
	}
	m.later = v.To(frontierPath, "scope", m.scope, "kind", m.kind, "share", parts.Plain(m.share))
	if v.Request.URL.Path == frontierPath {
		m.frontier()
		return frame.Page{Part: true, Body: frontierBody(m)}, nil
	}
	r, err := v.Promises.Promises(v.Ctx, &musterv1.PromisesRequest{AsOf: v.AsOf, Scope: m.scope, WithoutIslands: true})
	if err != nil {
		return frame.Page{}, err
	}
	m.breaks()
	m.rows, m.byIsland = r.GetPromises(), v.To(islandsPath, "scope", m.scope)
	m.spare(r.GetSpares())
	list := picture.Coverages(r.GetPromises())
	m.wide, m.narrow = draw.Coverages(list, draw.Wide), draw.Coverages(list, draw.Narrow)
	command := []string{"muster", "promise"}
	if m.scope != "" {
		command = append(command, m.scope)
	}
	return frame.Page{Title: "Promise", Nav: "promise", Command: words.Shell(command...), Body: body(m), Lead: m.broken() + m.lead()}, nil
}

// broken says how many grants cannot be used in one piece now, however many promises were kept.
func (m *view) broken() string {
	n := 0
	for _, s := range m.spares {
		if s.GetMissing() > 0 {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return "Broken now: " + draw.Count(n, "grant") + " cannot be used in one piece. "
}

// lead says at once whether promises are kept, or that it is too early to tell.
func (m *view) lead() string {
	var kept, broken, open int64
	for _, p := range m.rows {
		kept, broken, open = kept+p.GetKept(), broken+p.GetBroken(), open+p.GetOpen()
	}
	switch {
	case kept+broken == 0 && open > 0 && m.ofIslands == 0:
		return "Not judged yet: " + draw.Count(int(open), "promise") + " still run. A promise is judged when its horizon is over."
	case kept+broken == 0 && m.ofIslands > 0:
		return "No promise of a whole partition is judged yet" + m.shares()
	case kept+broken == 0:
		return "How many of its promises each buffer policy claims to keep, and how many it kept."
	}
	return draw.Number(int(kept)) + " of " + draw.Count(int(kept+broken), "promise") + " for whole partitions judged so far were kept" + m.shares() + draw.Count(int(open), "promise") + " for whole partitions still run."
}

// shares says how many promises of the islands' own shares were broken: a partition may keep
// its promise while an island breaks its own.
func (m *view) shares() string {
	switch {
	case !m.known:
		return ". Those of islands are not counted yet: the past is still being read. "
	case m.ofIslands == 0:
		return ", and none of an island was broken in 28 days. "
	}
	return "; " + draw.Number(int(m.ofIslands)) + " for islands' own shares were broken in 28 days. "
}

// breaks counts the promises of islands that were broken; the page does not wait long for the past.
func (m *view) breaks() {
	soon, end := m.v.Soon()
	defer end()
	b, err := m.v.Promises.Broken(soon, &musterv1.BrokenRequest{AsOf: m.v.AsOf, Scope: strings.TrimSuffix(m.scope, "/"), Limit: mostCounted})
	m.known = err == nil
	for _, one := range b.GetBreaks() {
		if one.GetIsland() != "" {
			m.ofIslands += int64(one.GetPromises())
		}
	}
}

// mostCounted is how many breaks are counted at most.
const mostCounted = 1000

// islandsPath is the part of the page that has the promises of islands: there may be thousands.
const islandsPath = "/part/promise-islands"

// Islands is that part.
func Islands(v *frame.Visit) (frame.Page, error) {
	m := view{v: v, scope: v.Request.URL.Query().Get("scope")}
	r, err := v.Promises.Promises(v.Ctx, &musterv1.PromisesRequest{AsOf: v.AsOf, Scope: m.scope})
	if err != nil {
		return frame.Page{}, err
	}
	for _, p := range r.GetPromises() {
		if p.GetIsland() != "" {
			m.islands = append(m.islands, p)
		}
	}
	return frame.Page{Part: true, Body: islandsTable(m)}, nil
}

// mostSpares is how many gangs the page lists at most, unless more have too few.
const mostSpares = 40

// spare lists gangs and their spares: first those that have too few.
func (m *view) spare(list []*musterv1.Spares) {
	few := 0
	for _, s := range list {
		if tooFew(s) {
			few++
		}
	}
	m.spares = list
	slices.SortStableFunc(m.spares, func(a, b *musterv1.Spares) int {
		switch {
		case tooFew(a) == tooFew(b):
			return 0
		case tooFew(a):
			return -1
		}
		return 1
	})
	if most := max(few, mostSpares); len(m.spares) > most {
		m.moreSpares, m.spares = len(m.spares)-most, m.spares[:most]
	}
}

// tooFew says whether a gang has fewer healthy nodes beside it than it needs, or lacks some itself.
func tooFew(s *musterv1.Spares) bool { return s.GetThere() < s.GetNeeded() || s.GetMissing() > 0 }

type triedKind struct {
	kind, says        string
	least, most, step int // of the slider, in thousandths
	usual             int
}

// triedKinds are the policies that the slider tries, with what it means there: all kinds
// that can be in force, and one to compare with.
var triedKinds = append(kindsInForce(), confident("rolling"))

func kindsInForce() (list []triedKind) {
	for _, kind := range words.BufferKinds() {
		if kind.Learns {
			list = append(list, confident(kind.Name))
		} else if kind.Name == "fixed" { // the API tries shares of no other kind
			list = append(list, triedKind{kind.Name, "Share kept back", 0, 300, 5, 150})
		}
	}
	return list
}

func confident(kind string) triedKind { return triedKind{kind, "Confidence", 800, 999, 1, 990} }

// ask reads which policy is tried.
func (m *view) ask(q url.Values) error {
	m.kind = cmp.Or(q.Get("kind"), "fixed")
	i := slices.IndexFunc(triedKinds, func(k triedKind) bool { return k.kind == m.kind })
	if i < 0 {
		var names []string
		for _, k := range triedKinds {
			names = append(names, k.kind)
		}
		return frame.Wrong("Policy", frame.Unfit(m.kind, "a policy that can be tried", words.Or(names)))
	}
	m.share = triedKinds[i].usual
	if word := q.Get("share"); word != "" {
		n, err := strconv.Atoi(word)
		if err != nil || n < triedKinds[i].least || n > triedKinds[i].most {
			return frame.Wrong(triedKinds[i].says, frame.Unfit(word, "a whole number of thousandths", "one from "+parts.Plain(triedKinds[i].least)+" to "+parts.Plain(triedKinds[i].most)))
		}
		m.share = n
	}
	return nil
}

// frontier tries all kinds of policies against the recorded past, and the slider's.
func (m *view) frontier() {
	f, err := m.v.Series.Frontier(m.v.Ctx, m.trials())
	if err != nil {
		m.trouble = frame.Explain(err)
		return
	}
	m.trades = f
	var list []draw.Trade
	for _, p := range f.GetPoints() {
		if p.GetIssued() == 0 {
			continue
		}
		own := p.GetKind() == m.kind && int(max(p.GetShare(), p.GetConfidence())) == m.share
		if own {
			m.trial = p
		}
		list = append(list, draw.Trade{Name: triedName(p), Kind: p.GetKind(), Quiet: !own && p.GetKind() == "fixed" && p.GetShare()%50 != 0, Buffer: p.GetMeanBuffer(), Broken: float64(p.GetBroken()) / float64(p.GetIssued()), Own: own})
	}
	m.fwide, m.fnarr = draw.Frontier(list, draw.Wide), draw.Frontier(list, draw.Narrow)
}

// triedName is a policy as people say it.
func triedName(p *musterv1.FrontierPoint) string {
	return p.GetKind() + " " + draw.Percent(float64(max(p.GetShare(), p.GetConfidence()))/1000)
}

// trials are what is tried: fixed in steps, the others at a few confidences, and the slider's.
func (m *view) trials() *musterv1.FrontierRequest {
	ask := &musterv1.FrontierRequest{AsOf: m.v.AsOf, Scope: strings.TrimSuffix(m.scope, "/")}
	for s := 0; s <= 300; s += 25 {
		ask.Shares = append(ask.Shares, int32(s))
	}
	if m.kind == "fixed" && m.share%25 != 0 {
		ask.Shares = append(ask.Shares, int32(m.share))
	}
	for _, tried := range triedKinds {
		if tried.says != "Confidence" {
			continue
		}
		kind, confidences := tried.kind, []int{950, 990}
		if kind == m.kind && !slices.Contains(confidences, m.share) {
			confidences = append(confidences, m.share)
		}
		for _, c := range confidences {
			ask.Policies = append(ask.Policies, &musterv1.TriedPolicy{Kind: kind, Confidence: int32(c)})
		}
	}
	return ask
}
