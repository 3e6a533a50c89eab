package web

import (
	"slices"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/picture"
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
	c, err := v.Coming.Coming(v.ctx, &musterv1.ComingRequest{AsOf: v.asOf, Scope: scope, Limit: int32(most)})
	if err != nil {
		return m, err
	}
	m.show(c.GetAhead(), most, c.GetSeen().GetAt().AsTime())
	m.more = int(c.GetMore())
	return m, nil
}

// show draws the first of what is ahead.
func (m *comingView) show(list []*musterv1.Ahead, most int, at time.Time) {
	m.list = list
	if len(m.list) > most {
		m.more, m.list = len(m.list)-most, m.list[:most]
	}
	m.wide, m.narrow = picture.DrawAheads(m.list, at, m.v.to, draw.Wide), picture.DrawAheads(m.list, at, m.v.to, draw.Narrow)
}

// comingTo asks what is ahead for one workload: its own end, what its nodes are named
// for, and the incidents of its partition.
func (v *visit) comingTo(w *musterv1.Workload) (comingView, error) {
	m := comingView{v: v, scope: w.GetPartition()}
	c, err := v.Coming.Coming(v.ctx, &musterv1.ComingRequest{AsOf: v.asOf, Scope: m.scope})
	if err != nil {
		return m, err
	}
	id := w.GetSpec().GetNamespace() + "/" + w.GetSpec().GetName()
	var list []*musterv1.Ahead
	for _, a := range c.GetAhead() {
		hers := slices.ContainsFunc(a.GetNodes(), func(n string) bool { return slices.Contains(w.GetNodes(), n) })
		if a.GetAbout() == id || hers || a.GetKind() == "incident" {
			list = append(list, a)
		}
	}
	m.show(list, mostComing, c.GetSeen().GetAt().AsTime())
	return m, nil
}

// kinds are those that its picture has, in order of name.
func (m comingView) kinds() (list []string) {
	for _, a := range m.list {
		list = append(list, a.GetKind())
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func comingPage(v *visit) (page, error) {
	m, err := v.coming(v.r.URL.Query().Get("scope"), 200)
	if err != nil {
		return page{}, err
	}
	command := []string{"muster", "coming"}
	if m.scope != "" {
		command = append(command, m.scope)
	}
	return page{
		title: "Coming", nav: "fleet", crumbs: []crumb{{"Fleet", "/"}}, command: words.Shell(command...), body: aheadBody(m),
		lead: "What is known to change: nodes that come back, holds and work that end, haircuts and incidents that are under way.",
	}, nil
}
