package clusterlife

import (
	"fmt"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/decide/buildout"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// why says in one sentence what a cluster waits for, and on whom.
func why(c *Cluster, now fleet.Instant) string {
	name := c.Life.Record.Name
	w := c.Verdict.Waits()
	switch {
	case c.Verdict.Phase == buildout.Retired:
		return name + " is retired."
	case w == nil && c.Verdict.Phase == buildout.InProduction:
		return name + " is in production, and all its conditions hold" + held(c) + "."
	case w == nil:
		return name + " waits for nothing: it is about to move on."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s is %s and waits for %s", name, c.Verdict.Phase, w.Type)
	if w.On.System != "" {
		fmt.Fprintf(&b, ", on %s", on(w))
	}
	fmt.Fprintf(&b, ", since %s", moment(w.Since))
	if w.Message != "" {
		b.WriteString(": " + w.Message)
	}
	if c.Verdict.Degraded && !w.Fell {
		b.WriteString("; what is in production is degraded: " + c.Verdict.Fallen)
	}
	b.WriteString(outlook(w, now) + ".")
	return b.String()
}

// held says who holds a cluster for which nothing is missing.
func held(c *Cluster) string {
	if c.Life.Course.Held == 0 {
		return ""
	}
	return "; " + c.Life.Course.HeldBy + " holds it, so no step begins until `muster cluster go " + c.Life.Record.Name + "`"
}

func on(w *buildout.Condition) string {
	if w.Person && w.On.System != "person" {
		return w.On.System + " and a person"
	}
	if w.Person {
		return "a person"
	}
	return w.On.System
}

// outlook says when the next try is due, and when the condition is expected to hold.
func outlook(w *buildout.Condition, now fleet.Instant) string {
	text := ""
	if w.Try.Next > now {
		text += "; the next try is due at " + moment(w.Try.Next)
	}
	switch {
	case w.Expect.Late:
		text += "; it is late, and was expected by " + moment(w.Expect.P90)
	case w.Expect.P90 != 0:
		text += "; it is expected by " + moment(w.Expect.P90) + " (p90)"
	}
	return text
}

func moment(at fleet.Instant) string { return at.Time().Format(time.DateOnly + " 15:04 MST") }
