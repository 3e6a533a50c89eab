package health_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// lost says of so many nodes of a fleet that they lost a GPU: all at the start, but the last one later.
func lost(t *testing.T, fleetOf, nodes int, last time.Duration) *fleet.Partition {
	w := newWorld(t, fleetOf)
	for k := range nodes {
		if k == nodes-1 {
			w.pass(start.Add(last))
		}
		w.do(core.TakeSignals{Signals: []fleet.Signal{{Agent: "dcgm", Check: "XIDErrors", Codes: []string{"79"}, Fatal: true, Node: name(k), At: w.at}}})
	}
	return w.partition()
}

// Automation stops when signals want 20 % of a partition out of service within 10 minutes (semantics §6), and at least three nodes.
func TestTheBreakerOpensAtAFifthWithinTenMinutes(t *testing.T) {
	for _, c := range []struct {
		of, nodes int
		last      time.Duration
		opens     bool
	}{
		{20, 3, 0, false},
		{20, 4, 0, true},
		{20, 5, 0, true},
		{21, 4, 0, false},
		{19, 4, 0, true},
		{20, 4, 10*time.Minute - 1, true},
		{20, 4, 10 * time.Minute, true},
		{20, 4, 10*time.Minute + 1, false},
		{4, 2, 0, false},
		{4, 3, 0, true},
	} {
		if opens := lost(t, c.of, c.nodes, c.last).Health.Tripped != 0; opens != c.opens {
			t.Errorf("%d of %d nodes, the last after %v: the breaker opens: %v, want %v", c.nodes, c.of, c.last, opens, c.opens)
		}
	}
}

// One sign on five nodes within five minutes is a burst.
func TestABurstIsFiveNodesWithinFiveMinutes(t *testing.T) {
	for _, c := range []struct {
		nodes int
		last  time.Duration
		burst bool
	}{
		{4, 0, false},
		{5, 0, true},
		{6, 0, true},
		{5, 5*time.Minute - 1, true},
		{5, 5 * time.Minute, true},
		{5, 5*time.Minute + 1, false},
	} {
		if burst := len(lost(t, 100, c.nodes, c.last).Health.Bursts) > 0; burst != c.burst {
			t.Errorf("%d nodes, the last after %v: a burst: %v, want %v", c.nodes, c.last, burst, c.burst)
		}
	}
}
