package buildout

import (
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/picture"
	"github.com/muster-fleet/muster/internal/faces/web/change"
	"github.com/muster-fleet/muster/internal/faces/web/events"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
	"github.com/muster-fleet/muster/internal/faces/web/parts"
)

// lifeView is one cluster's life.
type lifeView struct {
	v      *frame.Visit
	r      *musterv1.GetClusterResponse
	rows   []events.Row
	todo   []string // commands that a person may need now
	offers []change.Offer

	wide, narrow draw.SVG // its steps, as a timeline
}

// How many of the last records are read for the picture of a cluster's life, and how many are told below.
const (
	mostDrawn = 1000
	mostStory = 200
)

// Life is the page of one cluster's life.
func Life(v *frame.Visit) (frame.Page, error) {
	name := v.Request.PathValue("cluster")
	r, err := v.Buildout.GetCluster(v.Ctx, &musterv1.GetClusterRequest{AsOf: v.AsOf, Cluster: name})
	if err != nil {
		return frame.Page{}, err
	}
	m := lifeView{v: v, r: r}
	e, err := v.Events.ListEvents(v.Ctx, &musterv1.ListEventsRequest{AsOf: v.AsOf, About: name, Limit: mostDrawn})
	if err != nil {
		return frame.Page{}, err
	}
	records := e.GetRecords()
	m.draw(records)
	for _, row := range events.Rows(v, records[max(0, len(records)-mostStory):], mostStory) {
		if row.Is(words.Life, name) {
			m.rows = append(m.rows, row)
		}
	}
	m.act(name)
	return frame.Page{
		Title: name, Nav: "buildout", Crumbs: frame.Under("Build-out", "/build-out"), Command: words.Shell("muster", "cluster", "show", name),
		Lead: r.GetCluster().GetWhy(), Body: lifeBody(m), About: []string{name},
	}, nil
}

// draw makes the timeline of the cluster's steps.
func (m *lifeView) draw(records []*musterv1.Record) {
	l := picture.BuildoutOf(m.r, records, m.v.At())
	if len(l.Rows) == 0 {
		return
	}
	label := "Steps of " + m.r.GetCluster().GetRecord().GetName()
	m.wide = draw.StepRows("steps", label, l.Rows, l.From, m.v.At(), l.To, draw.Wide)
	m.narrow = draw.StepRows("steps", label, l.Rows, l.From, m.v.At(), l.To, draw.Narrow)
}

// act finds what the reader may do for the cluster now: forms, and the same as commands.
func (m *lifeView) act(name string) {
	c := m.r.GetCluster()
	if c.GetPhase() == "Retired" {
		return
	}
	for _, s := range m.steers() {
		m.offers = append(m.offers, change.For(m.v, "cluster-"+s.do, s.text, "cluster", name)...)
		m.todo = append(m.todo, words.Shell(append([]string{"muster", "cluster"}, s.command(name)...)...))
	}
}

// steer is one thing that a person may do to a cluster's life.
type steer struct{ do, text string }

func (s steer) command(name string) []string {
	if s.do == "confirm" {
		return []string{"retire", name, "--confirm", name}
	}
	return []string{s.do, name}
}

// steers lists what makes sense now, the most urgent first.
func (m *lifeView) steers() (list []steer) {
	c := m.r.GetCluster()
	draining := c.GetPhase() == "Draining"
	for _, x := range m.r.GetConditions() {
		if x.GetType() == "QuotaAvailable" {
			list = append(list, aboutQuota(x)...)
			continue
		}
		switch x.GetReason() {
		case "WaitsForCheckin":
			list = append(list, steer{"checkin", "It is checked in …"})
		case "Blocked":
			list = append(list, steer{"unblock", "Unblock …"})
		case "NeedsFix", "NeedsPerson":
			list = append(list, steer{"retry", "Retry …"})
		case "NotConfirmed":
			if x.GetPerson() {
				list = append(list, steer{"confirm", "Remove the infrastructure …"})
			}
		}
	}
	switch {
	case c.GetHeld():
		list = append(list, steer{"go", "Let it go on …"})
	case !draining:
		list = append(list, steer{"hold", "Hold …"})
	}
	if !draining {
		list = append(list, steer{"retire", "Retire …"})
	}
	return unique(list)
}

// files are what a person is to check in, while that is waited for.
func (m *lifeView) files() []*musterv1.CheckinFile {
	for _, c := range m.r.GetConditions() {
		if c.GetReason() == "WaitsForCheckin" {
			return m.r.GetFiles()
		}
	}
	return nil
}

// aboutQuota is what a person may do about cores that are missing.
func aboutQuota(c *musterv1.ClusterCondition) []steer {
	switch {
	case !c.GetPerson():
		return nil
	case c.GetReason() == "Missing": // asking the cloud for them failed
		return []steer{{"retry", "Ask the cloud again …"}}
	case c.GetReason() == "NoMeter":
		return nil
	}
	return []steer{{"quota", "The cores are there …"}}
}

func unique(list []steer) (once []steer) {
	seen := map[string]bool{}
	for _, s := range list {
		if !seen[s.do] {
			seen[s.do], once = true, append(once, s)
		}
	}
	return once
}

// state is how a condition stands, as a class of a tag.
func state(c *musterv1.ClusterCondition) string {
	switch {
	case c.GetStatus() == "True":
		return "good"
	case c.GetLate() || c.GetReason() == "Fell" || c.GetReason() == "Stale":
		return "bad"
	case c.GetPerson() || c.GetReason() == "Retrying" || c.GetReason() == "Throttled":
		return "wait"
	}
	return ""
}

// took is how long a condition took, or has taken.
func took(c *musterv1.ClusterCondition) string {
	if d := c.GetTook(); d != nil && c.GetStatus() == "True" {
		return parts.Lasted(d.AsDuration().Round(time.Second))
	}
	return ""
}
