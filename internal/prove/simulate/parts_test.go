package simulate

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/muster-fleet/muster/internal/prove/trace"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

func TestAJobBecomesOneGang(t *testing.T) {
	cases := map[int][]fleet.Pool{
		4:  {{Name: "w", GPUs: 4, Min: 1, Max: 1, Reach: fleet.ReachAny}},
		8:  {{Name: "w", GPUs: 8, Min: 1, Max: 1, Reach: fleet.ReachAny}},
		24: {{Name: "w", GPUs: 8, Min: 3, Max: 3, Reach: fleet.ReachIsland}},
		20: {{Name: "w", GPUs: 8, Min: 2, Max: 2, Reach: fleet.ReachIsland}, {Name: "r", GPUs: 4, Min: 1, Max: 1, Reach: fleet.ReachAny}},
	}
	for gpus, want := range cases {
		s, err := spec(trace.Job{ID: "a", Team: "oak", User: "ada", GPUs: gpus}, "research/oak")
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(s.Pools, want) {
			t.Errorf("%d GPUs: %+v\nwant %+v", gpus, s.Pools, want)
		}
		if s.Namespace != "oak" || s.Target != "research/oak" || s.Priority != fleet.Mid || s.MaxRuntime != 0 {
			t.Errorf("%d GPUs: %+v", gpus, s)
		}
	}
}

func TestFaultsBefallNodesByTheSeed(t *testing.T) {
	faults := []trace.Fault{{Server: "a", Start: time.Hour, End: 2 * time.Hour, Cause: "GPU"}, {Server: "b", Start: 0, End: time.Hour}}
	all := nodePlaces(servers)
	first, again, other := changes(faults, all, 1), changes(faults, all, 1), changes(faults, all, 2)
	if !reflect.DeepEqual(first, again) || reflect.DeepEqual(first, other) {
		t.Errorf("seed 1: %v and %v, seed 2: %v", first, again, other)
	}
	a, b := first[1].node, first[0].node
	want := []change{
		{0, b, false, ""},
		{time.Hour, a, false, "GPU"},
		{time.Hour, b, true, ""}, // at one moment begins come first
		{2 * time.Hour, a, true, "GPU"},
	}
	if !reflect.DeepEqual(first, want) || a == b {
		t.Errorf("%v\nwant %v", first, want)
	}
}

func TestASmallFleetGetsItsShareOfTheServers(t *testing.T) {
	faults := make([]trace.Fault, servers/2) // half of the servers fail once
	for i := range faults {
		faults[i] = trace.Fault{Server: nodeNames(servers)[i], End: time.Hour}
	}
	hit := 0
	for seed := range uint64(100) {
		hit += len(changes(faults, nodePlaces(20), seed)) / 2
	}
	if hit < 900 || hit > 1100 {
		t.Errorf("on 20 of 400 nodes %d of 2000 failed, want about half", hit)
	}
}

func nodeNames(n int) (names []string) {
	for _, p := range nodePlaces(n) {
		names = append(names, p.node)
	}
	return names
}

func nodePlaces(n int) []place {
	all := make([]place, n)
	for i := range all {
		all[i].node = "n" + string(rune('A'+i/26%26)) + string(rune('A'+i%26)) + string(rune('A'+i/676))
	}
	return all
}

func TestPercentilesAreNearestRank(t *testing.T) {
	waits := []time.Duration{1 * time.Second, 2 * time.Second, 3 * time.Second, 4 * time.Second}
	for percent, want := range map[int]float64{1: 1, 50: 2, 51: 3, 99: 4, 100: 4} {
		if got := percentile(waits, percent); got != want {
			t.Errorf("p%d is %v, want %v", percent, got, want)
		}
	}
	if got := percentile(nil, 50); got != 0 {
		t.Errorf("p50 of nothing is %v", got)
	}
}

func TestMoments(t *testing.T) {
	want := time.Date(2017, 11, 30, 23, 59, 0, 0, time.UTC)
	for _, text := range []string{"2017-11-30 23:59:00", "2017-11-30T23:59:00Z", "2017-12-01T00:59:00+01:00", "2017-11-30 23:59"} {
		if got, err := ParseMoment(text); err != nil || !got.Equal(want) {
			t.Errorf("%q is %v (%v), want %v", text, got, err, want)
		}
	}
	if _, err := ParseMoment("tomorrow"); err == nil || !strings.Contains(err.Error(), "2017-11-30T23:59:00Z") {
		t.Errorf("error %v does not show what is right", err)
	}
}

func bigReport() Report {
	f := Figures{
		Jobs: 99999, MeanWait: 1234567, P50Wait: 123456, P99Wait: 12345678, MeanJCT: 12345678, GPUHours: hoursOf(9876543),
		Evictions: 12345, Mends: 12345, BrokenQuotaHours: 123456,
	}
	at := time.Date(2017, 10, 1, 0, 0, 0, 0, time.UTC)
	return Report{
		Figures: f, From: at, Until: at, StateHash: "0123456789abcdef", Decisions: 98765432, PerSecond: 98765, WallSeconds: 1234.5,
		Unfinished: 5, Reasons: map[string]int{"Behind": 4, "GangTooLarge": 1},
		PeakMemory: 12345678901, Seed: 1 << 20, Teams: map[string]Team{"a-team-of-a-very-long-name": {"x", f}, "oak": {"flex", f}},
	}
}

func TestTheTableFits100Columns(t *testing.T) {
	var b strings.Builder
	if err := bigReport().Table(&b); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(b.String(), "\n") {
		if n := utf8.RuneCountInString(line); n > 100 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, want := range []string{"TEAM ", "a-team-of-a-very-…", "1,234,567", "invariant violations 0", "5 jobs unfinished: Behind 4, GangTooLarge 1", "state 0123456789abcdef"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func TestTheJSONHasTheNamesOfTheContract(t *testing.T) {
	data, err := json.Marshal(bigReport())
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Teams map[string]map[string]any `json:"teams"`
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mean_wait_s", "p50_wait_s", "p99_wait_s", "mean_jct_s", "jobs", "gpu_hours", "evictions", "mends", "broken_quota_hours"} {
		if _, ok := got.Teams["oak"][name]; !ok {
			t.Errorf("teams.oak has no %s: %v", name, got.Teams["oak"])
		}
		if !strings.Contains(string(data), `"`+name+`":`) {
			t.Errorf("the whole has no %s", name)
		}
	}
}

// A trace says which servers share a rack, and the fleet which nodes do: what fails as
// one there fails as one here.
func TestARackOfATraceIsARackOfTheFleet(t *testing.T) {
	const racks, size = 10, 8
	var faults []trace.Fault
	for s := range racks * size {
		faults = append(faults, trace.Fault{Server: nodeNames(servers)[s], End: time.Hour, Rack: string(rune('a' + s/size))})
	}
	nodes := nodePlaces(servers)
	rackOf := map[string]int{}
	for i := range nodes {
		nodes[i].rack = i % (servers / size) // racks are not in order of arrival
		rackOf[nodes[i].node] = nodes[i].rack
	}
	node := assign(faults, nodes, 3)
	for _, f := range faults {
		first := faults[int(f.Rack[0]-'a')*size].Server
		if rackOf[node[f.Server]] != rackOf[node[first]] {
			t.Errorf("%s and %s stand in one rack of the trace, and in racks %d and %d of the fleet", f.Server, first, rackOf[node[f.Server]], rackOf[node[first]])
		}
	}
}
