package picture

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
)

// conditionOf is the condition that a step brings about.
var conditionOf = map[string]string{
	"quota": "QuotaAvailable", "checkin": "CheckedIn", "pipeline": "BootstrapSucceeded", "scaleSets": "InfrastructureReady", "join": "NodesReady",
	"validation": "NodesValidated", "services": "ServicesDeployed", "teardown": "InfrastructureRemoved",
}

// lifeEvent is what the picture needs of an event about a cluster that is built.
type lifeEvent struct {
	Cluster   string `json:"cluster"`
	Condition string `json:"condition"`
	Status    string `json:"status"`
	Reason    string `json:"reason"`
	Turn      bool   `json:"turn"`
	Person    bool   `json:"person"`
	Step      string `json:"step"`
	Operation string `json:"operation"`
	Attempt   int    `json:"attempt"`
	State     string `json:"state"`
	Link      string `json:"link"`
	Error     string `json:"error"`
}

// Buildout is a cluster's life as a picture: a row for each condition whose turn has come.
type Buildout struct {
	Rows     []draw.Steps
	From, To time.Time
}

// BuildoutOf draws a cluster's life from its records, which are in order, and how it stands now.
func BuildoutOf(c *musterv1.GetClusterResponse, records []*musterv1.Record, now time.Time) Buildout {
	name, rows := c.GetCluster().GetRecord().GetName(), map[string]*lifeRow{}
	for _, r := range records {
		for _, e := range r.GetEvents() {
			var is lifeEvent
			if json.Unmarshal([]byte(e.GetData()), &is) != nil || is.Cluster != name {
				continue
			}
			is.take(e.GetKind(), r.GetAt().AsTime(), rows)
		}
	}
	l := Buildout{From: c.GetCluster().GetEntered().AsTime(), To: now}
	for _, x := range c.GetConditions() {
		row := rows[x.GetType()]
		if row == nil {
			continue
		}
		row.end(now)
		s := draw.Steps{Name: x.GetType(), Note: row.note(x), Bars: row.bars}
		if x.GetStatus() != "True" && x.GetP90() != nil {
			s.P50, s.P90 = x.GetP50().AsTime(), x.GetP90().AsTime()
			l.To = later(l.To, s.P90)
		}
		l.Rows = append(l.Rows, s)
	}
	if c.GetCluster().GetProduced() != nil && c.GetCluster().GetWaits() == "" {
		l.To = l.end().Add(l.end().Sub(l.From) / 50) // it serves, and nothing more is built
		return l
	}
	l.To = earlier(l.To, now.Add(now.Sub(l.From)/2+time.Minute)) // what has happened keeps most of the room
	return l
}

// end is when the last of what was built was there.
func (l *Buildout) end() time.Time {
	end := l.From
	for _, r := range l.Rows {
		for _, b := range r.Bars {
			end = later(end, b.To)
		}
	}
	return end
}

// lifeRow is a condition's row while it is drawn up.
type lifeRow struct {
	bars []draw.StepBar
	open *draw.StepBar // the stretch that has not ended yet
	took time.Duration
	try  int
}

// take reads an event into the row that it is about.
func (e lifeEvent) take(kind string, at time.Time, rows map[string]*lifeRow) {
	about := e.Condition
	if about == "" {
		about = conditionOf[e.Step]
	}
	row := rows[about]
	if row == nil {
		if kind != "operation.intended" && (kind != "condition.changed" || !e.Turn && !e.Person) {
			return // its turn has not come
		}
		row = &lifeRow{}
		rows[about] = row
	}
	switch kind {
	case "condition.changed":
		row.changed(e, at)
	case "operation.intended":
		row.try++
		row.begin(at, draw.Metal, fmt.Sprintf("try %d", row.try))
	case "operation.reported":
		row.reported(e, at)
	}
}

// changed reads how the condition stands now.
func (r *lifeRow) changed(e lifeEvent, at time.Time) {
	running := r.open != nil && r.open.Ink == draw.Metal
	switch {
	case e.Status == "True":
		r.end(at)
	case e.Person:
		r.begin(at, draw.Ask, "waits for a person: "+e.Reason)
	case e.Reason == "Fell" || e.Reason == "ReportsStopped":
		r.begin(at, draw.Suspect, "fell: "+e.Reason)
	case !running:
		r.begin(at, draw.Wait, "waits: "+e.Reason)
	}
}

// reported reads how a try went.
func (r *lifeRow) reported(e lifeEvent, at time.Time) {
	if r.open == nil {
		return
	}
	if strings.HasPrefix(e.Link, "https://") || strings.HasPrefix(e.Link, "http://") {
		r.open.Href = e.Link
	}
	switch e.State {
	case "failed":
		r.open.Ink, r.open.Says = draw.Fault, r.open.Says+" failed: "+e.Error
		r.begin(at, draw.Wait, "waits for the next try")
	case "blocked":
		href := r.open.Href
		r.begin(at, draw.Ask, "blocked: "+e.Error)
		r.open.Href = href
	case "running":
		if r.open.Ink != draw.Metal {
			r.begin(at, draw.Metal, fmt.Sprintf("try %d goes on", r.try))
		}
	case "succeeded":
		r.end(at)
	}
}

// begin ends the stretch that is open, and begins another.
func (r *lifeRow) begin(at time.Time, ink draw.Ink, says string) {
	r.end(at)
	r.open = &draw.StepBar{From: at, Ink: ink, Says: says}
}

// end ends the stretch that is open. One of no length is none.
func (r *lifeRow) end(at time.Time) {
	if r.open == nil {
		return
	}
	r.open.To = at
	if d := at.Sub(r.open.From); d > 0 {
		r.took += d
		r.open.Says += ", " + words.About(d)
		r.bars = append(r.bars, *r.open)
	}
	r.open = nil
}

// note is how long the condition took, or has taken, and how many tries.
func (r *lifeRow) note(c *musterv1.ClusterCondition) string {
	text := words.About(r.took)
	if r.try > 1 {
		text += fmt.Sprintf(", %d tries", r.try)
	}
	if c.GetLate() {
		text += ", late"
	}
	return text
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
