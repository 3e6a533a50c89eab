package scenario

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

const fleetPart = `scenario: a story
clusters: [{name: tiger, partitions: [{gpu: h200, islands: [{name: a, nodes: 10}]}]}]
quotas: [{path: oak/leaf, grants: [{partition: tiger/h200, gpus: 16}]}]
steps:
`

// story is a small fleet with steps; the first stands in line 5.
func story(steps ...string) []byte {
	return []byte(fleetPart + "  - " + strings.Join(steps, "\n  - ") + "\n")
}

const submitW = "{at: 0s, submit: {name: w, namespace: n, target: oak/leaf, pools: [{name: p, replicas: 1, gpus: 8}]}}"

func TestStepsAreReadAsTheySay(t *testing.T) {
	f, err := Parse("f", story(
		"{at: 1m, submit: {name: w, namespace: n, user: ada, groups: [core], target: oak/leaf, partition: tiger/h200, priority: high, grace: 1m, runtime: 4h, maxRuntime: 6h, checkpointEvery: 30m, pools: [{name: t, replicas: 4, gpus: 8, reach: rack}, {name: g, min: 2, max: 20, gpus: 1, rank: 1}]}}",
		"{at: 2m, grant: {quota: oak, partition: tiger/h200, gpus: 24, gang: 16, overcommit: true, reason: because}}",
		"{at: 2m, hold: {quota: oak, partition: tiger/h200, gpus: 8, until: 7d}}",
		"{at: 3m, node: {name: [tiger-h200-a-009..010, tiger-h200-a-001], state: degraded, dead: 2, signal: XID 95}}",
		"{at: 4m, refused: Invalid, cancel: w}",
	))
	if err != nil {
		t.Fatal(err)
	}
	submit := f.Steps[0].Do.(Submit)
	if submit.Runtime != 4*time.Hour || !submit.Ends || submit.Spec.Priority != fleet.High || submit.Spec.Grace != time.Minute {
		t.Errorf("submit is %+v", submit)
	}
	want := []fleet.Pool{
		{Name: "t", GPUs: 8, Min: 4, Max: 4, Reach: fleet.ReachRack},
		{Name: "g", GPUs: 1, Min: 2, Max: 20, Elastic: true, Rank: 1, Reach: fleet.ReachAny},
	}
	for i, p := range submit.Spec.Pools {
		if p != want[i] {
			t.Errorf("pool is %+v, want %+v", p, want[i])
		}
	}
	grant := core.SetGrant{Quota: "oak", Partition: "tiger/h200", GPUs: 24, Gang: 16, Overcommit: true}
	if got := f.Steps[1].Do.(Told); got.Command != grant || got.Reason != "because" {
		t.Errorf("grant is %+v", got)
	}
	if got := f.Steps[2].Do.(Told).Command.(core.PlaceHold).Until; got != Start.Add(168*time.Hour) {
		t.Errorf("hold ends %v", got.Time())
	}
	if got := f.Steps[3].Do.(SetNodes); strings.Join(got.Names, " ") != "tiger-h200-a-009 tiger-h200-a-010 tiger-h200-a-001" || got.Dead != 2 {
		t.Errorf("node is %+v", got)
	}
	if got := f.Steps[4]; got.Refused != core.Invalid || got.Do.(Told).Command != (core.Cancel{Namespace: "n", Name: "w"}) || got.At != 4*time.Minute {
		t.Errorf("cancel is %+v", got)
	}
}

func TestDefaultsOfAWorkload(t *testing.T) {
	f, err := Parse("f", story("{at: 0s, submit: {name: w, namespace: n, target: flex, pools: [{name: a, replicas: 2, gpus: 1}, {name: b, replicas: 1, gpus: 1}]}}"))
	if err != nil {
		t.Fatal(err)
	}
	s := f.Steps[0].Do.(Submit)
	if s.Ends || s.Spec.Priority != fleet.Mid || s.Spec.Grace != 30*time.Second || s.Spec.MaxRuntime != 0 {
		t.Errorf("workload is %+v", s)
	}
	if s.Spec.Pools[0].Reach != fleet.ReachIsland || s.Spec.Pools[1].Reach != fleet.ReachAny {
		t.Errorf("pools are %+v; a gang of several stays in an island, one replica stands anywhere", s.Spec.Pools)
	}
}

func TestWhatIsWrongInAStoryIsSaidWithPlaceAndRemedy(t *testing.T) {
	submit := func(fields string) string { return "{at: 0s, submit: {" + fields + "}}" }
	expect := func(fields string) string { return submitW + "\n  - {at: 1s, expect: [{" + fields + "}]}" }
	for _, c := range []struct{ name, step, want string }{
		{"unknown step", "{at: 0s, sumbit: {}}", `f:5: unknown key "sumbit"; did you mean "submit"?`},
		{"two steps in one", "{at: 0s, stale: tiger, fresh: tiger}", `f:5: an entry of steps has stale and fresh at once; write exactly one`},
		{"no time", "{stale: tiger}", `f:5: "at" is missing in an entry of steps; add it`},
		{"back in time", "{at: 2h, stale: tiger}\n  - {at: 1h, fresh: tiger}", `f:6: at is 1h, before the step above (2h); steps come in order of time`},
		{"refused expectation", "{at: 0s, expect: [], refused: Invalid}", `f:5: expect is no command and cannot be refused; take refused out`},
		{"unknown code", "{at: 0s, stale: tiger, refused: Overpromis}", `f:5: refused is "Overpromis"; did you mean "Overpromise"?`},
		{"restart false", "{at: 0s, restart: false}", `f:5: restart is not true; leave the step out if nothing restarts`},
		{"unknown key of a workload", submit("name: w, namespace: n, target: flex, pols: []"), `f:5: unknown key "pols"; did you mean "pools"?`},
		{"no pools", submit("name: w, namespace: n, target: flex, pools: []"), `f:5: pools is an empty list; a workload has at least one pool`},
		{"gang and elastic", submit("name: w, namespace: n, target: flex, pools: [{name: p, replicas: 2, max: 3, gpus: 1}]"), `f:5: max belongs to an elastic pool; write replicas, or min and max`},
		{"max below min", submit("name: w, namespace: n, target: flex, pools: [{name: p, min: 2, max: 1, gpus: 1}]"), `f:5: max is 1; write a whole number from 2 to 100000`},
		{"more than the engine takes", submit("name: w, namespace: n, target: flex, pools: [{name: p, replicas: 100001, gpus: 1}]"), `f:5: replicas is 100001; write a whole number from 1 to 100000`},
		{"a gang of nothing", submit("name: w, namespace: n, target: flex, pools: [{name: p, replicas: 0, gpus: 1}]"), `f:5: replicas is 0; write a whole number from 1 to 100000`},
		{"half a GPU", submit("name: w, namespace: n, target: flex, pools: [{name: p, replicas: 2, gpus: 0.5}]"), `f:5: gpus is 0.5; write a whole number: nothing here comes in fractions`},
		{"pool twice", submit("name: w, namespace: n, target: flex, pools: [{name: p, replicas: 1, gpus: 1}, {name: p, replicas: 1, gpus: 1}]"), `f:5: two pools are named "p"; name each once`},
		{"name in two namespaces", submitW + "\n  - {at: 0s, submit: {name: w, namespace: m, target: flex, pools: [{name: p, replicas: 1, gpus: 1}]}}", `f:6: a workload "w" is submitted above in namespace "n"; a scenario uses a name in one namespace only`},
		{"cancel of nobody", "{at: 0s, cancel: w}", `f:5: no step above submits a workload "w"; submit it first`},
		{"range backwards", "{at: 0s, node: {name: a-008..001, state: suspect}}", `f:5: "a-008..001" goes from the last to the first; write a-001..008`},
		{"range of two full names backwards", "{at: 0s, node: {name: a-008..a-001, state: suspect}}", `f:5: "a-008..a-001" goes from the last to the first; write a-001..008`},
		{"no range", "{at: 0s, node: {name: a-1..10, state: suspect}}", `f:5: "a-1..10" is no range of nodes; write it as in tiger-h200-i1-001..008`},
		{"nodes of nobody", "{at: 0s, node: {name: {of: w, count: 1}, state: suspect}}", `f:5: no step above submits a workload "w"; submit it first`},
		{"dwell in a scope", "{at: 0s, policy: {scope: tiger, buffer: {share: 0}, dwell: 1h}}", `f:5: dwell is set for the whole fleet; with a scope only buffer can change`},
		{"expectation of nothing", expect("state: running"), `f:6: the expectation names none of workload, quota, node, namespace, haircut, rollout, nfz, update, cluster, partition, maintenance; say what it is about`},
		{"unknown figure", expect("workload: w, stat: running"), `f:6: unknown key "stat"; did you mean "state"?`},
		{"unknown state", expect("workload: w, state: runnning"), `f:6: state is "runnning"; did you mean "running"?`},
		{"figure of another", expect("workload: w, flexUsed: 1"), `f:6: unknown key "flexUsed"; known here: workload, state, holds, gpus, islands, nodes, pools, reason, says, evictions, stops, mends, waited, position, startsIn, cause, hung`},
		{"unknown workload", expect("workload: v, state: running"), `f:6: no step above submits a workload "v"; submit it first`},
		{"unknown quota", expect("quota: oak/leave, partition: tiger/h200, backed: 1"), `f:6: there is no quota "oak/leave"; did you mean "oak/leaf"?`},
		{"unknown partition", expect("partition: tiger/h100, flex: 1"), `f:6: there is no partition "tiger/h100"; did you mean "tiger/h200"?`},
		{"quota without partition", expect("quota: oak, backed: 1"), `f:6: "partition" is missing in an entry of expect; add it`},
		{"no bound", expect(`partition: tiger/h200, flex: "about 8"`), `f:6: "about 8" is neither a figure nor a bound; write it as in 64 or ">= 64"`},
		{"number in quotes", expect(`partition: tiger/h200, flex: "8"`), `f:6: "8" is neither a figure nor a bound; write it as in 64 or ">= 64"`},
		{"no span", expect(`workload: w, waited: "<= soon"`), `f:6: "<= soon" is neither a figure nor a bound; write it as in 30m or "<= 30m"`},
		{"unknown flag", expect("quota: oak, partition: tiger/h200, flags: [Broken]"), `f:6: an entry of flags is "Broken"; known here: GangUnbacked, Overcommitted`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse("f", story(c.step))
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestFleetOfAScenarioIsCheckedLikeAFleetFile(t *testing.T) {
	_, err := Parse("f", []byte("scenario: s\nquotas: [{path: a, grants: [{partition: tiger/h200, gpus: 8}]}]\nsteps: []\n"))
	if err == nil || !strings.Contains(err.Error(), `f:2: there is no partition "tiger/h200"`) {
		t.Errorf("got %v", err)
	}
}

func TestStepsOfMaintenanceAreReadStrictly(t *testing.T) {
	_, err := Parse("f", story("{at: 1s, nfz: {nam: m}}"))
	var all yamlfile.Errors
	if !errors.As(err, &all) || !strings.Contains(err.Error(), `unknown key "nam"`) {
		t.Errorf("got %v", err)
	}
}
