package clusterlife

import (
	"fmt"

	"github.com/muster-fleet/muster/internal/decide/buildout"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Arrival is a cluster that is built, and when its GPUs are to count as installed.
type Arrival struct {
	Cluster   string
	Partition string
	GPUs      int
	P90       fleet.Instant // 0: it cannot be known
	Since     fleet.Instant // its entry
	Text      string
}

// Arrivals lists the clusters that are on their way to production, in order of name.
func Arrivals(s *fleet.State, now fleet.Instant) (list []Arrival) {
	for _, c := range All(s, now) {
		switch c.Verdict.Phase {
		case buildout.Planned, buildout.Provisioning, buildout.Provisioned:
		default:
			continue
		}
		r := &c.Life.Record
		list = append(list, Arrival{
			Cluster: r.Name, Partition: r.Partition(), GPUs: r.Nodes() * r.GPUsPerNode,
			P90: c.Verdict.InProduct.P90, Since: c.Life.Entered, Text: arrives(&c),
		})
	}
	return list
}

// arrives says when a cluster is to be in production, and what it waits for.
func arrives(c *Cluster) string {
	text := "cluster " + c.Life.Record.Name
	switch is := c.Verdict.InProduct; {
	case is.P90 == 0:
		text += " comes; no date can be known"
	case is.Late:
		text += " was to be in production by now"
	default:
		text += fmt.Sprintf(" is to be in production by %s (p50), %s (p90)", moment(is.P50), moment(is.P90))
	}
	if w := c.Waits(); w.Type != "" {
		text += fmt.Sprintf("; it waits for %s, on %s", w.Type, on(&w))
	}
	return text
}
