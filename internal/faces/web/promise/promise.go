package web

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
)

// promiseView is what the page of promises shows.
type promiseView struct {
	v            *visit
	later        string
	scope        string
	rows         []*musterv1.Promises
	islands      []*musterv1.Promises
	byIsland     string // where those are
	spares       []*musterv1.Spares
	moreSpares   int // that are enough, and not listed
	wide, narrow draw.SVG
	trades       *musterv1.FrontierResponse
	fwide, fnarr draw.SVG
	kind         string // of the policy that is tried
	share        int    // of the slider, in thousandths: what fixed keeps back, or the confidence of the others
	trial        *musterv1.FrontierPoint
	trouble      string // why the past could not be tried
}

// frontierPath is the part of the page that tries buffers against the past.
const frontierPath = "/part/frontier"

func promisePage(v *visit) (page, error) {
	m := promiseView{v: v, scope: v.r.URL.Query().Get("scope")}
	if err := m.ask(v.r.URL.Query()); err != nil {
		return page{}, err
	}
	m.later = v.to(frontierPath, "scope", m.scope, "kind", m.kind, "share", plain(m.share))
	if v.r.URL.Path == frontierPath {
		m.frontier()
		return page{part: true, body: frontierBody(m)}, nil
	}
	r, err := v.Promises.Promises(v.ctx, &musterv1.PromisesRequest{AsOf: v.asOf, Scope: m.scope, WithoutIslands: true})
	if err != nil {
		return page{}, err
	}
	m.rows, m.byIsland = r.GetPromises(), v.to(islandsPath, "scope", m.scope)
	m.spare(r.GetSpares())
	list := picture.Coverages(r.GetPromises())
	m.wide, m.narrow = draw.Coverages(list, draw.Wide), draw.Coverages(list, draw.Narrow)
	command := []string{"muster", "promise"}
	if m.scope != "" {
		command = append(command, m.scope)
	}
	return page{title: "Promise", nav: "promise", command: words.Shell(command...), body: promiseBody(m), lead: "What each buffer policy claims to keep of its promises, and what came true."}, nil
}

// islandsPath is the part of the page that has the promises of islands: there may be thousands.
const islandsPath = "/part/promise-islands"

func islandPromises(v *visit) (page, error) {
	m := promiseView{v: v, scope: v.r.URL.Query().Get("scope")}
	r, err := v.Promises.Promises(v.ctx, &musterv1.PromisesRequest{AsOf: v.asOf, Scope: m.scope})
	if err != nil {
		return page{}, err
	}
	for _, p := range r.GetPromises() {
		if p.GetIsland() != "" {
			m.islands = append(m.islands, p)
		}
	}
	return page{part: true, body: islandsTable(m)}, nil
}

// mostSpares is how many gangs the page lists at most, unless more have too few.
const mostSpares = 40

// spare lists gangs and their spares: first those that have too few.
func (m *promiseView) spare(list []*musterv1.Spares) {
	short := func(s *musterv1.Spares) bool { return s.GetThere() < s.GetNeeded() }
	few := 0
	for _, s := range list {
		if short(s) {
			few++
		}
	}
	m.spares = list
	slices.SortStableFunc(m.spares, func(a, b *musterv1.Spares) int {
		switch {
		case short(a) == short(b):
			return 0
		case short(a):
			return -1
		}
		return 1
	})
	if most := max(few, mostSpares); len(m.spares) > most {
		m.moreSpares, m.spares = len(m.spares)-most, m.spares[:most]
	}
}

type triedKind struct {
	kind, says        string
	least, most, step int // of the slider, in thousandths
	usual             int
}

// triedKinds are the policies that the slider tries, with what it means there.
var triedKinds = []triedKind{
	{"fixed", "Share kept back", 0, 300, 5, 150},
	{"calibrated", "Confidence", 800, 999, 1, 990},
	{"binomial", "Confidence", 800, 999, 1, 990},
	{"rolling", "Confidence", 800, 999, 1, 990},
}

// ask reads which policy is tried.
func (m *promiseView) ask(q url.Values) error {
	m.kind = cmp.Or(q.Get("kind"), "fixed")
	i := slices.IndexFunc(triedKinds, func(k triedKind) bool { return k.kind == m.kind })
	if i < 0 {
		return &wrongInput{"policy", "is none that can be tried: " + short(m.kind, 40) + "; try fixed, calibrated, binomial or rolling"}
	}
	m.share = triedKinds[i].usual
	if word := q.Get("share"); word != "" {
		n, err := strconv.Atoi(word)
		if err != nil || n < triedKinds[i].least || n > triedKinds[i].most {
			return &wrongInput{"slider", "is no number from " + plain(triedKinds[i].least) + " to " + plain(triedKinds[i].most) + ": " + short(word, 20)}
		}
		m.share = n
	}
	return nil
}

// frontier tries all kinds of policies against the recorded past, and the slider's.
func (m *promiseView) frontier() {
	f, err := m.v.Series.Frontier(m.v.ctx, m.trials())
	if err != nil {
		m.trouble = troubleOf(err).text
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
func (m *promiseView) trials() *musterv1.FrontierRequest {
	ask := &musterv1.FrontierRequest{AsOf: m.v.asOf, Scope: strings.TrimSuffix(m.scope, "/")}
	for s := 0; s <= 300; s += 25 {
		ask.Shares = append(ask.Shares, int32(s))
	}
	if m.kind == "fixed" && m.share%25 != 0 {
		ask.Shares = append(ask.Shares, int32(m.share))
	}
	for _, kind := range []string{"calibrated", "binomial", "rolling"} {
		confidences := []int{950, 990}
		if kind == m.kind && !slices.Contains(confidences, m.share) {
			confidences = append(confidences, m.share)
		}
		for _, c := range confidences {
			ask.Policies = append(ask.Policies, &musterv1.TriedPolicy{Kind: kind, Confidence: int32(c)})
		}
	}
	return ask
}
