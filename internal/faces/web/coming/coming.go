package coming

import (
	"slices"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/picture"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
)

// View is what is known to be ahead.
type View struct {
	v            *frame.Visit
	scope        string
	list         []*musterv1.Ahead
	more         int
	wide, narrow draw.SVG
}

// Most is how many lines other pages show of it.
const Most = 8

// Of asks what is ahead in a scope.
func Of(v *frame.Visit, scope string, most int) (View, error) {
	m := View{v: v, scope: scope}
	c, err := v.Coming.Coming(v.Ctx, &musterv1.ComingRequest{AsOf: v.AsOf, Scope: scope, Limit: int32(most)})
	if err != nil {
		return m, err
	}
	m.show(c.GetAhead(), most, c.GetSeen().GetAt().AsTime())
	m.more = int(c.GetMore())
	return m, nil
}

// show draws the first of what is ahead.
func (m *View) show(list []*musterv1.Ahead, most int, at time.Time) {
	m.list = list
	if len(m.list) > most {
		m.more, m.list = len(m.list)-most, m.list[:most]
	}
	m.wide, m.narrow = picture.DrawAheads(m.list, at, m.v.To, draw.Wide), picture.DrawAheads(m.list, at, m.v.To, draw.Narrow)
}

// To asks what is ahead for one workload: its own end, what its nodes are named
// for, and the incidents of its partition.
func To(v *frame.Visit, w *musterv1.Workload) (View, error) {
	m := View{v: v, scope: w.GetPartition()}
	c, err := v.Coming.Coming(v.Ctx, &musterv1.ComingRequest{AsOf: v.AsOf, Scope: m.scope})
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
	m.show(list, Most, c.GetSeen().GetAt().AsTime())
	return m, nil
}

// Empty says that nothing is known to be ahead.
func (m View) Empty() bool { return len(m.list) == 0 }

// kinds are those that its picture has the ink of, in order of name: what has no date is drawn without.
func (m View) kinds() (list []string) {
	for _, a := range m.list {
		if a.GetAt() != nil {
			list = append(list, a.GetKind())
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Page is all that is known to be coming.
func Page(v *frame.Visit) (frame.Page, error) {
	m, err := Of(v, v.Request.URL.Query().Get("scope"), 200)
	if err != nil {
		return frame.Page{}, err
	}
	command := []string{"muster", "coming"}
	if m.scope != "" {
		command = append(command, m.scope)
	}
	return frame.Page{
		Title: "Coming", Nav: "fleet", Crumbs: frame.Under("Fleet", "/"), Command: words.Shell(command...), Body: body(m),
		Lead: "What is known to change: nodes that come back, planned work, no-fly zones, holds and work that end, haircuts and incidents that are under way.",
	}, nil
}
