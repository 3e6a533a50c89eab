package web

import (
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/draw"
	"github.com/muster-fleet/muster/internal/picture"
)

// comingView is what is known to be ahead.
type comingView struct {
	v            *visit
	scope        string
	list         []*musterv1.Ahead
	more         int
	wide, narrow draw.SVG
}

// How much of it other pages show; its own page shows all of it.
const mostComing = 8

// coming asks what is ahead in a scope.
func (v *visit) coming(scope string, most int) (comingView, error) {
	m := comingView{v: v, scope: scope}
	c, err := v.Coming.Coming(v.ctx, &musterv1.ComingRequest{AsOf: v.asOf, Scope: scope})
	if err != nil {
		return m, err
	}
	m.list = c.GetAhead()
	if len(m.list) > most {
		m.more, m.list = len(m.list)-most, m.list[:most]
	}
	at := c.GetSeen().GetAt().AsTime()
	m.wide, m.narrow = picture.DrawAheads(m.list, at, v.to, draw.Wide), picture.DrawAheads(m.list, at, v.to, draw.Narrow)
	return m, nil
}

// inks are those that its picture has.
func (m comingView) inks() (list []draw.Ink) {
	seen := map[draw.Ink]bool{}
	for _, a := range picture.Aheads(m.list, nil) {
		seen[a.Ink] = true
	}
	for _, k := range draw.Inks {
		if seen[k.Ink] {
			list = append(list, k.Ink)
		}
	}
	return list
}

func comingPage(v *visit) (page, error) {
	m, err := v.coming(v.r.URL.Query().Get("scope"), 200)
	if err != nil {
		return page{}, err
	}
	command := "muster coming"
	if m.scope != "" {
		command += " " + m.scope
	}
	return page{
		title: "Coming", nav: "fleet", crumbs: []crumb{{"Fleet", "/"}}, command: command, body: aheadBody(m),
		lead: "What is known to change: nodes that come back, holds and work that end, haircuts and incidents that are under way.",
	}, nil
}
