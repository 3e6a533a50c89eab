package trial

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-fleet/muster/internal/decide/promise/buffer"
)

// No policy promises more whole nodes than stand, and what comes later changes no
// promise that was made before.
func TestPromisesKnowOnlyWhatWas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 40).Draw(t, "nodes")
		down := rapid.SliceOfN(rapid.IntRange(0, nodes), 2, 80).Draw(t, "down")
		hours := make([]buffer.Hour, len(down))
		for i, d := range down {
			hours[i] = buffer.Hour{Nodes: nodes, Level: d, Peak: d}
		}
		cut := rapid.IntRange(1, len(hours)).Draw(t, "cut")
		for _, kind := range Kinds() {
			p := Policy{Kind: kind, Share: 0.15, Confidence: 0.99, Floor: 0.02, Ceiling: 0.3}
			all, early := Promises(p, hours, 2, nil, 24), Promises(p, hours[:cut], 2, nil, 24)
			for i := range all {
				if all[i] < 0 || all[i] > hours[i].Nodes-hours[i].Level {
					t.Fatalf("%s promises %d of %d nodes with %d down", p.Kind, all[i], nodes, down[i])
				}
				if i < cut && all[i] != early[i] {
					t.Fatalf("%s: the promise of hour %d is %d, and was %d before anybody knew of hour %d", p.Kind, i, all[i], early[i], cut)
				}
			}
		}
	})
}

// The rate of faults at the end of each day is of all hours until then, in all pools: twelve nodes fail on
// the second day, in the pool whose past is longer. A day begins with its first hour.
func TestTheRateOfADayIsOfAllHoursUntilThen(t *testing.T) {
	past := func(hours, faults int) []buffer.Hour {
		list := make([]buffer.Hour, hours)
		for i := range list {
			list[i] = buffer.Hour{Nodes: 240}
		}
		if faults > 0 {
			list[24].Peak = faults
		}
		return list
	}
	for _, c := range []struct {
		pools [][]buffer.Hour
		want  []float64
	}{
		{nil, []float64{}},
		{[][]buffer.Hour{past(1, 0)}, []float64{buffer.FleetRate(0, 10)}},
		{[][]buffer.Hour{past(23, 0)}, []float64{buffer.FleetRate(0, 230)}},
		{[][]buffer.Hour{past(25, 12)}, []float64{buffer.FleetRate(0, 240), buffer.FleetRate(12, 250)}},
		{[][]buffer.Hour{past(12, 0), past(25, 12)}, []float64{buffer.FleetRate(0, 360), buffer.FleetRate(12, 370)}},
	} {
		if got := Rates(c.pools); !slices.Equal(got, c.want) {
			t.Errorf("of %d pools the rates are %v, want %v", len(c.pools), got, c.want)
		}
	}
	if buffer.FleetRate(12, 370) == buffer.FleetRate(0, 360) {
		t.Error("twelve faults make no difference to the rate: the test says nothing")
	}
}

// The plain quantile is of the last 28 days: what was down before them counts no more.
func TestThePlainQuantileForgetsAfterFourWeeks(t *testing.T) {
	is := New(Policy{Kind: "rolling", Confidence: 0.5, Ceiling: 1}, 24, 1)
	learn := func(hours, down int) {
		for range hours {
			is.Learn(buffer.Hour{Nodes: 10, Level: down, Peak: down})
		}
	}
	promised := func() int { return is.Promise(buffer.Hour{Nodes: 10}) }
	learn(337, 5)
	learn(335, 0) // 28 days are full, and in half an hour more than half of them 5 nodes were down
	if got := promised(); got != 5 {
		t.Errorf("where 5 of 10 nodes were down in most of 28 days, %d are promised", got)
	}
	if learn(1, 0); promised() != 10 {
		t.Errorf("where they were down in half of 28 days, %d are promised", promised())
	}
}
