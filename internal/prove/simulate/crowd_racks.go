package simulate

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/prove/trace"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// racks is how many racks an island of so many nodes has.
func (c Crowd) racks(nodes int) int {
	if c.Rack == 0 {
		return 1
	}
	return (nodes + c.Rack - 1) / c.Rack
}

// outages adds to faults of nodes those of whole racks, each once in sixty days, for six
// hours. All faults then name their rack.
func (c Crowd) outages(r *rand.Rand, span time.Duration, faults []trace.Fault) []trace.Fault {
	if c.Rack == 0 {
		return faults
	}
	for first := 0; first < servers; first += c.Rack {
		for at := c.outage(r); at < span; at += c.outage(r) {
			for s := first; s < min(first+c.Rack, servers); s++ {
				faults = append(faults, trace.Fault{Server: fmt.Sprint("server ", s), Start: at, End: at + 6*time.Hour, Cause: "switch of the rack"})
			}
		}
	}
	for i := range faults {
		var s int
		_, _ = fmt.Sscanf(faults[i].Server, "server %d", &s) // as crowdFaults writes it
		faults[i].Rack = fmt.Sprint("rack ", s/c.Rack)
	}
	return faults
}

// outage draws the time until a rack's switch fails.
func (c Crowd) outage(r *rand.Rand) time.Duration {
	return time.Duration(60 * 24 * r.ExpFloat64() * float64(time.Hour)).Truncate(time.Second)
}

// ParseBuffer reads KIND or KIND=NUMBER: the share of a kind that keeps one back, the
// confidence of one that learns. An empty text is the default policy.
func ParseBuffer(text string) (*fleet.Buffer, error) {
	if text == "" {
		return nil, nil
	}
	kind, number, given := strings.Cut(text, "=")
	b := fleet.DefaultBuffer(fleet.BufferKind(kind))
	if given {
		x, err := strconv.ParseFloat(number, 64)
		if err != nil || x < 0 || x > 1 {
			return nil, fmt.Errorf("%.20q is not a share between 0 and 1; write %.20s=0.15, say", number, kind)
		}
		*b.Settings()[0].At = fleet.PermilleOf(x)
	}
	return &b, b.Check()
}
