package web

import (
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/draw"
	"github.com/muster-fleet/muster/internal/picture"
)

// promiseView is what the page of promises shows.
type promiseView struct {
	v            *visit
	later        string
	scope        string
	rows         []*musterv1.Promises
	islands      []*musterv1.Promises
	spares       []*musterv1.Spares
	wide, narrow draw.SVG
	trades       *musterv1.FrontierResponse
	fwide, fnarr draw.SVG
	share        int // of the slider, in thousandths
	trial        *musterv1.FrontierPoint
	trouble      string // why the past could not be tried
}

// frontierPath is the part of the page that tries buffers against the past.
const frontierPath = "/part/frontier"

func promisePage(v *visit) (page, error) {
	m := promiseView{v: v, scope: v.r.URL.Query().Get("scope"), share: 150}
	if s := v.r.URL.Query().Get("share"); s != "" {
		m.share = min(300, int(number(s)))
	}
	m.later = v.to(frontierPath, "scope", m.scope, "share", plain(m.share))
	if v.r.URL.Path == frontierPath {
		m.frontier()
		return page{part: true, body: frontierBody(m)}, nil
	}
	r, err := v.Promises.Promises(v.ctx, &musterv1.PromisesRequest{AsOf: v.asOf, Scope: m.scope})
	if err != nil {
		return page{}, err
	}
	for _, p := range r.GetPromises() {
		if p.GetIsland() != "" {
			m.islands = append(m.islands, p)
			continue
		}
		m.rows = append(m.rows, p)
	}
	m.spares = r.GetSpares()
	list := picture.Coverages(r.GetPromises())
	m.wide, m.narrow = draw.Coverages(list, draw.Wide), draw.Coverages(list, draw.Narrow)
	command := "muster promise"
	if m.scope != "" {
		command += " " + m.scope
	}
	return page{title: "Promise", nav: "promise", command: command, body: promiseBody(m), lead: "What each buffer policy claims to keep of its promises, and what came true."}, nil
}

// frontier tries fixed buffers against the recorded past.
func (m *promiseView) frontier() {
	f, err := m.v.Series.Frontier(m.v.ctx, &musterv1.FrontierRequest{AsOf: m.v.asOf, Scope: strings.TrimSuffix(m.scope, "/"), Shares: sharesWith(m.share)})
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
		if int(p.GetShare()) == m.share {
			m.trial = p
		}
		name := ""
		if p.GetShare()%50 == 0 || int(p.GetShare()) == m.share {
			name = "fixed " + draw.Percent(float64(p.GetShare())/1000)
		}
		list = append(list, draw.Trade{Name: name, Buffer: p.GetMeanBuffer(), Broken: float64(p.GetBroken()) / float64(p.GetIssued()), Own: int(p.GetShare()) == m.share})
	}
	m.fwide, m.fnarr = draw.Frontier(list, draw.Wide), draw.Frontier(list, draw.Narrow)
}

// sharesWith are the shares that are tried: every hundredth, and the slider's.
func sharesWith(share int) (list []int32) {
	for s := 0; s <= 300; s += 10 {
		list = append(list, int32(s))
	}
	if share%10 != 0 {
		list = append(list, int32(share))
	}
	return list
}
