package simulated

import (
	"fmt"
	"reflect"
	"sort"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

func faultsOf(seed uint64, nodes int, span time.Duration) []driver.Report {
	f := NewFaults(seed, MeasuredFaults())
	for i := range nodes {
		f.Add(at(0), fmt.Sprintf("n-%04d", i), fleet.Healthy)
	}
	return New(Options{Faults: f}).Take(at(span))
}

func TestFaultsComeFromTheSeedAlone(t *testing.T) {
	if a, b := faultsOf(1, 50, 60*day), faultsOf(1, 50, 60*day); !reflect.DeepEqual(a, b) {
		t.Error("one seed gives two stories")
	}
	if a, b := faultsOf(1, 50, 60*day), faultsOf(2, 50, 60*day); reflect.DeepEqual(said(a), said(b)) {
		t.Error("two seeds give one story")
	}
}

// TestNodesWalkTheirLife holds every node to the order of states in the contract.
func TestNodesWalkTheirLife(t *testing.T) {
	follows := map[fleet.NodeState][]fleet.NodeState{
		fleet.Healthy:     {fleet.Suspect, fleet.Quarantined},
		fleet.Suspect:     {fleet.Healthy},
		fleet.Quarantined: {fleet.Repairing},
		fleet.Repairing:   {fleet.Validating},
		fleet.Validating:  {fleet.Probation},
		fleet.Probation:   {fleet.Quarantined, fleet.Suspect}, // after a day in probation the fleet calls it healthy
	}
	states, since := map[string]fleet.NodeState{}, map[string]fleet.Instant{}
	last := at(0)
	for _, r := range faultsOf(3, 400, 349*day) {
		name, was := r.Nodes.Names[0], fleet.Healthy
		if s, ok := states[name]; ok {
			was = s
		}
		if r.At < last {
			t.Fatalf("%s: reported after a later moment", r.At.Time())
		}
		if !contains(follows[was], r.Nodes.State) {
			t.Fatalf("%s goes from %s to %s", name, was, r.Nodes.State)
		}
		if was == fleet.Probation && r.Nodes.State == fleet.Suspect && r.At.Sub(since[name]) < day {
			t.Fatalf("%s is suspect %s after its repair: the blip would end its probation", name, r.At.Sub(since[name]))
		}
		last, states[name], since[name] = r.At, r.Nodes.State, r.At
	}
}

func contains(list []fleet.NodeState, s fleet.NodeState) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// figures are what InfiniteHBD measured, of one simulated year.
type figures struct {
	faults, untouched, worst, recurring int
	median, p90                         time.Duration
}

func measure(reports []driver.Report, nodes int) figures {
	var f figures
	counts, began, back := map[string]int{}, map[string]fleet.Instant{}, map[string]fleet.Instant{}
	var downs []time.Duration
	for _, r := range reports {
		name := r.Nodes.Names[0]
		switch r.Nodes.State {
		case fleet.Quarantined:
			f.faults++
			counts[name]++
			f.worst = max(f.worst, counts[name])
			began[name] = r.At
			if b, ok := back[name]; ok && r.At.Sub(b) < day {
				f.recurring++
			}
		case fleet.Probation:
			back[name] = r.At
			downs = append(downs, r.At.Sub(began[name]))
		}
	}
	sort.Slice(downs, func(i, j int) bool { return downs[i] < downs[j] })
	f.untouched = nodes - len(counts)
	f.median, f.p90 = downs[len(downs)/2], downs[len(downs)*9/10]
	return f
}

// TestFaultsAreLikeThoseMeasured compares the mean of ten simulated years of 400
// nodes with InfiniteHBD's one: 584 faults, 169 untouched nodes, 14 on the worst,
// one in five recurring, down times with median 0.85 and 90th percentile 13 days.
func TestFaultsAreLikeThoseMeasured(t *testing.T) {
	const years = 10
	var sum figures
	for seed := range uint64(years) {
		f := measure(faultsOf(seed, 400, 349*day), 400)
		sum.faults += f.faults
		sum.untouched += f.untouched
		sum.worst += f.worst
		sum.recurring += f.recurring
		sum.median += f.median
		sum.p90 += f.p90
	}
	t.Logf("per year: %d faults, %d untouched, worst %d, %d recurring, median %v, p90 %v",
		sum.faults/years, sum.untouched/years, sum.worst/years, sum.recurring/years, sum.median/years, sum.p90/years)
	within := func(what string, got, low, high float64) {
		if got < low || got > high {
			t.Errorf("%s: %.2f is not within %v and %v", what, got, low, high)
		}
	}
	within("faults", float64(sum.faults)/years, 530, 640)
	within("untouched nodes", float64(sum.untouched)/years, 155, 183)
	within("faults of the worst node", float64(sum.worst)/years, 9, 16)
	within("share that recurs", float64(sum.recurring)/float64(sum.faults), 0.16, 0.23)
	within("median down time in days", sum.median.Hours()/24/years, 0.7, 1.05)
	within("p90 of down time in days", sum.p90.Hours()/24/years, 10, 16)
}

func TestANodeThatIsDownGoesOnFromThere(t *testing.T) {
	f := NewFaults(1, MeasuredFaults())
	f.Add(at(0), "broken", fleet.Repairing)
	f.Add(at(0), "odd", fleet.Suspect)
	f.Add(at(0), "away", fleet.Maintenance)
	first := map[string]fleet.NodeState{}
	for _, r := range New(Options{Faults: f}).Take(at(365 * day)) {
		if name := r.Nodes.Names[0]; first[name] == "" {
			first[name] = r.Nodes.State
		}
	}
	want := map[string]fleet.NodeState{"broken": fleet.Validating, "odd": fleet.Healthy}
	if !reflect.DeepEqual(first, want) {
		t.Errorf("first steps %v, want %v", first, want)
	}
}
