package buffer_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-fleet/muster/internal/decide/promise/buffer"
)

// drawPast draws a pool's past: quiet hours, single failures, groups, repairs.
func drawPast(t *rapid.T, nodes int) []buffer.Hour {
	down := 0
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) buffer.Hour {
		h := buffer.Hour{Nodes: nodes, Level: down, Peak: down}
		switch rapid.IntRange(0, 20).Draw(t, "what") {
		case 0:
			h.Peak = min(nodes, down+rapid.IntRange(1, nodes).Draw(t, "group"))
		case 1, 2:
			h.Peak = min(nodes, down+1)
		}
		down = h.Peak - min(h.Peak, rapid.IntRange(0, 1).Draw(t, "repaired"))
		return h
	}), 0, 400).Draw(t, "past")
}

func drawClaim(t *rapid.T) buffer.Claim {
	floor := float64(rapid.IntRange(0, 1000).Draw(t, "floor")) / 1000
	return buffer.Claim{
		Confidence: float64(rapid.IntRange(1, 999).Draw(t, "confidence")) / 1000,
		Floor:      floor, Ceiling: max(floor, float64(rapid.IntRange(0, 1000).Draw(t, "ceiling"))/1000),
		Horizon: rapid.SampledFrom([]int{1, 24, 168}).Draw(t, "horizon"),
	}
}

// kinds are the makers of all forecasts.
var kinds = func() map[string]func(buffer.Claim, buffer.Prior) buffer.Forecast {
	all := map[string]func(buffer.Claim, buffer.Prior) buffer.Forecast{}
	for _, name := range buffer.Kinds() {
		all[name] = func(c buffer.Claim, p buffer.Prior) buffer.Forecast { return buffer.New(name, c, p) }
	}
	return all
}()

func learn(f buffer.Forecast, past []buffer.Hour) buffer.Forecast {
	for _, h := range past {
		f.Learn(h)
	}
	return f
}

// What is promised is never more than is up nor less than nothing, holds back at
// least the floor, and never more than the ceiling or what is down.
func TestAPromiseStaysBetweenFloorCeilingAndHealth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 60).Draw(t, "nodes")
		claim, past := drawClaim(t), drawPast(t, nodes)
		down := rapid.IntRange(0, nodes).Draw(t, "down")
		for name, kind := range kinds {
			ahead := learn(kind(claim, buffer.Prior{}), past).Ahead(nodes)
			got := claim.Promised(nodes, down, ahead)
			if got < 0 || got > nodes-down {
				t.Fatalf("%s promises %d of %d nodes, %d of them down", name, got, nodes, down)
			}
			held := float64(nodes - got)
			if held < claim.Floor*float64(nodes)-1e-9 {
				t.Fatalf("%s holds %v of %d nodes back, the floor is %v", name, held, nodes, claim.Floor)
			}
			if most := math.Ceil(claim.Ceiling*float64(nodes) - 1e-9); held > max(most, float64(down)) {
				t.Fatalf("%s holds %v of %d nodes back, the ceiling is %v and %d are down", name, held, nodes, claim.Ceiling, down)
			}
		}
	})
}

// More confidence holds back no less.
func TestMoreConfidenceHoldsBackNoLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 60).Draw(t, "nodes")
		claim, past := drawClaim(t), drawPast(t, nodes)
		sure := claim
		sure.Confidence = claim.Confidence + (1-claim.Confidence)/2
		more, moreSure := learn(buffer.NewBinomial(claim, buffer.Prior{}), past).Ahead(nodes).More, learn(buffer.NewBinomial(sure, buffer.Prior{}), past).Ahead(nodes).More
		if moreSure < more {
			t.Fatalf("%d nodes at %v, %d at %v", more, claim.Confidence, moreSure, sure.Confidence)
		}
	})
}

// The same past gives the same answer, however often it is asked on the way.
func TestAskingChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 60).Draw(t, "nodes")
		claim, past := drawClaim(t), drawPast(t, nodes)
		asked, silent := buffer.NewCalibrated(claim, buffer.Prior{}), learn(buffer.NewCalibrated(claim, buffer.Prior{}), past)
		for _, h := range past {
			asked.Ahead(h.Nodes)
			asked.Learn(h)
			asked.Ahead(h.Nodes)
		}
		if a, b := asked.Ahead(nodes), silent.Ahead(nodes); a != b {
			t.Fatalf("asked every hour %v, asked once %v", a, b)
		}
	})
}

// A pool that never failed for a year earns a smaller buffer than a young one,
// and one that loses six nodes twice a week a larger one.
func TestAHealthierPoolHoldsBackLess(t *testing.T) {
	claim := buffer.Claim{Confidence: 0.99, Floor: 0.02, Ceiling: 0.3, Horizon: buffer.Promisable}
	past := func(every int) []buffer.Hour {
		hours := make([]buffer.Hour, 365*24)
		for i := range hours {
			hours[i].Nodes = 400
			if every > 0 && i%every == 0 {
				hours[i].Peak = 16
			}
		}
		return hours
	}
	for name, kind := range kinds {
		young := kind(claim, buffer.Prior{}).Ahead(400).More
		healthy := learn(kind(claim, buffer.Prior{}), past(0)).Ahead(400).More
		sick := learn(kind(claim, buffer.Prior{}), past(84)).Ahead(400).More
		if healthy >= young || young >= sick {
			t.Errorf("%s: healthy %d, young %d, sick %d nodes", name, healthy, young, sick)
		}
	}
}

// A policy that was broken holds back more afterwards than the quantile alone would.
func TestMissesAreCorrected(t *testing.T) {
	claim := buffer.Claim{Confidence: 0.9, Ceiling: 1, Horizon: buffer.Promisable}
	kept, missed := buffer.NewCalibrated(claim, buffer.Prior{}), buffer.NewCalibrated(claim, buffer.Prior{})
	for i := range 60 * 24 {
		bad := 0
		if i%24 == 0 && i%(24*3) == 0 {
			bad = 40
		}
		kept.Learn(buffer.Hour{Nodes: 100})
		missed.Learn(buffer.Hour{Nodes: 100, Peak: bad})
	}
	if a, b := kept.Ahead(100).More, missed.Ahead(100).More; a >= b {
		t.Errorf("%d nodes where nothing was missed, %d where every third day was", a, b)
	}
}

// Racks that fail as one show where the horizon is long enough for it to be likely.
func TestARackIsHeldBackWhereItMayFail(t *testing.T) {
	claim := buffer.Claim{Confidence: 0.99, Ceiling: 1, Horizon: buffer.Sustainable}
	alone, racks := buffer.NewBinomial(claim, buffer.Prior{}).Ahead(400).More, buffer.NewBinomial(claim, buffer.Prior{Racks: 10}).Ahead(400).More
	if racks < 40 || racks <= alone {
		t.Errorf("with racks of 40 nodes %d are held back, without %d", racks, alone)
	}
}

func TestSparesOfAGang(t *testing.T) {
	small, large := buffer.Spares(8, 0.99, buffer.Prior{}), buffer.Spares(64, 0.99, buffer.Prior{})
	if small < 1 || large <= small || large > 16 {
		t.Errorf("%d spares for 8 nodes, %d for 64", small, large)
	}
	if sick := buffer.Spares(64, 0.99, buffer.Prior{Rate: 0.02}); sick <= large {
		t.Errorf("%d spares where five times as many fail, %d where not", sick, large)
	}
}

// quiet is a past of so many hours in which two nodes of 48 fail at once every month, and return after three days.
func quiet(hours int) []buffer.Hour {
	past := make([]buffer.Hour, hours)
	for i := range past {
		past[i].Nodes = 48
		if i%(30*24) > 0 && i%(30*24) <= 72 {
			past[i].Level, past[i].Peak = 2, 2
		}
		if i%(30*24) == 0 {
			past[i].Peak = 2
		}
	}
	return past
}

// The longer a pool's record is, the less may go down beyond it: after four weeks nothing is known of what
// four weeks bring, after thirty years the worst that was seen is the worst to expect.
func TestALongRecordBoundsFourWeeks(t *testing.T) {
	claim := buffer.Claim{Confidence: 0.99, Ceiling: 1, Horizon: buffer.Sustainable}
	for name, kind := range kinds {
		young := learn(kind(claim, buffer.Prior{}), quiet(28*24)).Ahead(48)
		grown := learn(kind(claim, buffer.Prior{}), quiet(200*24)).Ahead(48)
		old := learn(kind(claim, buffer.Prior{}), quiet(30*365*24)).Ahead(48)
		if young.Down(0) != young.More || grown.Most >= young.Most || old.Most != 2 {
			t.Errorf("%s: %v after four weeks, %v after 200 days, %v after thirty years", name, young, grown, old)
		}
	}
}

// A rack that was never lost is held back even so, where its loss is likelier than a miss may be.
func TestARecordWithoutALostRackDoesNotExcludeIt(t *testing.T) {
	claim := buffer.Claim{Confidence: 0.99, Ceiling: 1, Horizon: buffer.Sustainable}
	for name, kind := range kinds {
		if o := learn(kind(claim, buffer.Prior{Racks: 6}), quiet(200*24)).Ahead(48); o.Down(0) < 8 {
			t.Errorf("%s holds back %v nodes of a pool with racks of 8", name, o)
		}
	}
}

// What tomorrow brings depends on today: a day and a week ahead the record bounds nothing.
func TestTheRecordDoesNotBoundShortHorizons(t *testing.T) {
	for _, horizon := range []int{buffer.Promisable, 168} {
		claim := buffer.Claim{Confidence: 0.99, Ceiling: 1, Horizon: horizon}
		if o := learn(buffer.NewCalibrated(claim, buffer.Prior{}), quiet(2*365*24)).Ahead(48); o.Down(2) != 2+o.More {
			t.Errorf("%d hours ahead %v", horizon, o)
		}
	}
}
