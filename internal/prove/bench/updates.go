package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// The fleet of the bench updates. Nodes fail as the servers of InfiniteHBD did (simulated.MeasuredFaults). In-quota
// work is gangs alone; when one ends, the next of its size follows after some hours.
const (
	updateClusters = 10
	updateNodes    = 100 // of each cluster, in two islands
	updatesInAll   = 24
	updateEvery    = 13 * day
	updateWithin   = 45 * day // from its publication to its deadline
	gangRuns       = 7 * day  // the median
	gangTail       = 0.9      // of the logarithm: one gang in twenty runs for a month
	gangSaves      = 4 * time.Hour
	zoneLasts      = 14 * day
	day            = 24 * time.Hour
)

// zonesBegin are the days on which the no-fly zones over the whole fleet begin.
var zonesBegin = []int{60, 150, 240, 330}

// gangsOf are the quotas of a cluster: the nodes of each gang that one of them runs at a time.
var gangsOf = [][]int{{16, 8, 8, 8}, {8, 8, 4}, {4, 4, 4}, {2, 2, 2, 2}}

// components are what the updates bring a new version of, in turn: what a visit does, and how long it takes.
var components = []struct {
	name   string
	impact fleet.Impact
	lasts  time.Duration
}{
	{"gpu-driver", fleet.ImpactRestart, time.Hour},
	{"os-image", fleet.ImpactReplace, 2 * time.Hour},
	{"nic-firmware", fleet.ImpactRestart, 30 * time.Minute},
	{"kubelet", fleet.ImpactFreeze, 15 * time.Minute},
	{"gpu-firmware", fleet.ImpactRestart, time.Hour},
	{"host", fleet.ImpactReplace, 2 * time.Hour},
}

// yearOfUpdates lives through one year three times, with the same failures, and the same work as far as it can be.
func yearOfUpdates(ctx context.Context, o Options) (Report, error) {
	r := Report{Bench: "updates", Machine: ThisMachine(), Quick: o.Quick, Seed: o.Seed}
	clusters := o.scaled(updateClusters)
	r.Recipe = fmt.Sprintf("%d clusters of %d nodes, gangs of 2 to 16 nodes on 80 of each 100; %d updates, one every %d days, each with a deadline %d days later; %d no-fly zones of two weeks over the fleet; 365 days",
		clusters, updateNodes, updatesInAll, updateEvery/day, updateWithin/day, len(zonesBegin))
	var all []updateTally
	for _, w := range updateWays {
		began := time.Now()
		t, err := liveYear(ctx, o, w, clusters)
		if err != nil {
			return r, fmt.Errorf("%s: %w", w.name, err)
		}
		t.took = time.Since(began)
		t.report(&r, w.name)
		all = append(all, t)
	}
	least := min(all[1].stops, all[2].stops)
	r.add(aimed(Figure{Name: "gangs stopped for updates by Muster, of those of the better other way", Value: 100 * float64(all[0].stops) / float64(max(1, least)), Unit: "%"},
		"≤ 10 %", all[0].stops*10 <= least))
	r.remark("GPU-hours lost are those of gangs that an update stopped: what had run since the last checkpoint (every %s), and the wait until the gang ran again.\n"+
		"A promise counts as broken where a quota was backed by less in the moment in which a node was taken for an update. Ways that know no promise still run on Muster, which mends and moves what it can.\n"+
		"A node runs an untested combination where no two nodes had run that very one for a day; the first two that do so are its canaries, whether that was meant or not.\n"+
		"Days behind is the mean over nodes and updates, from publication to the node's visit. Late are nodes that did not have an update by its deadline. All ways heed the zones.", gangSaves)
	return r, nil
}

// quarterDays is how often the year is looked at for its picture.
const quarterDays = 91

// quarter is how many gangs were stopped until a day.
type quarter struct{ day, stops int }

// updateTally is what a year cost.
type updateTally struct {
	quarters          []quarter
	visits, stops     int
	lost              float64 // GPU-hours
	failures          int     // gangs that failures interrupted
	broken            int     // promises
	unbacked          float64 // node-hours that grants were not backed
	untested          int     // nodes that were brought to a combination that was not proven
	behind            float64 // days
	late, lateUpdates int
	worked            float64 // GPU-hours of gangs
	took              time.Duration
	records           int
	rejected          int // rollouts whose canary failed
}

func (t updateTally) report(r *Report, way string) {
	for _, f := range []Figure{
		{Name: "gangs stopped", Value: float64(t.stops), Unit: "stops"},
		{Name: "GPU-hours lost to these stops", Value: t.lost, Unit: "GPU-h"},
		{Name: "promises broken", Value: float64(t.broken), Unit: ""},
		{Name: "nodes brought to an untested combination", Value: float64(t.untested), Unit: "visits"},
		{Name: "days behind", Value: t.behind, Unit: "days"},
		{Name: "deadlines missed", Value: float64(t.lateUpdates), Unit: "updates"},
		{Name: "nodes late", Value: float64(t.late), Unit: "node-updates"},
		{Name: "visits", Value: float64(t.visits), Unit: "visits"},
		{Name: "gangs that failures interrupted", Value: float64(t.failures), Unit: "stops"},
		{Name: "grants not backed", Value: t.unbacked, Unit: "node-hours"},
		{Name: "GPU-hours worked by gangs", Value: t.worked, Unit: "GPU-h"},
		{Name: "pauses for a failed canary", Value: float64(t.rejected), Unit: "pauses"},
		{Name: "time that the simulation took", Value: t.took.Seconds(), Unit: "s"},
	} {
		f.Name = way + ": " + f.Name
		if way == updateWays[0].name && (f.Unit == "" || f.Unit == "visits" && f.Name == way+": nodes brought to an untested combination") {
			f = aimed(f, "0", f.Value == 0)
		}
		r.add(f)
	}
	t.draw(r, way)
}

// draw adds how the year went to the report's picture.
func (t updateTally) draw(r *Report, way string) {
	for _, q := range t.quarters {
		at := float64(q.day)
		if q.stops > 0 {
			r.grows("gangs stopped since the first day", way, "day of the year", Point{at, float64(q.stops)})
		}
	}
}
