package cli

import (
	"slices"
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

func TestWhatWouldHappenIsSaidInSentences(t *testing.T) {
	n := &names{jobs: map[uint64]string{4: "red/sweep-5", 5: "red/big"}}
	for _, c := range []struct{ kind, data, want string }{
		{"grant.set", `{"quota":"safety/red","partition":"tiger/b200","gpus":0,"was":4000}`, "safety/red gets a grant of 0 GPUs in tiger/b200 (it has 4,000)"},
		{"holds.changed", `{"id":4,"pool":0,"from":0,"to":3,"holds":3}`, "red/sweep-5 (3 replicas) becomes unprotected"},
		{"replicas.evicted", `{"id":4,"spots":[{"nodes":["a","b"]}],"whole":true,"for":5,"class":"borrowing"}`, "red/sweep-5 must leave: 2 replicas, for red/big; no backing of its quota is left for this work"},
		{"replicas.placed", `{"id":5,"partition":"t/g","spots":[{"nodes":["a"]}],"holds":1,"reserved":true}`, "red/big has room reserved until others have left: 1 replica, guaranteed, in t/g"},
		{"access.set", `{"quota":"u","access":{"users":["bob","eve"]}}`, "u is open to users bob, eve"},
		{"node.changed", `{"node":"n1","from":"healthy","to":"degraded","dead":2}`, "n1 turns from healthy to degraded, 2 GPUs dead"},
		{"hold.placed", `{"hold":{"id":1,"quota":"u","partition":"t/g","gpus":16,"user":"ada"}}`, "16 GPUs of t/g are held for user ada in u"},
		{"hold.placed", `{"hold":{"id":1,"quota":"u","partition":"t/g","gpus":16,"until":1796342400000000000}}`, "16 GPUs of t/g are held for u until Fri 2026-12-04 00:00Z"},
		{
			"backing.aligned", `{"partition":"t/g","promisable":12,"backing":[{"quota":"elm","island":"a","nodes":4},{"quota":"elm","island":"b","nodes":0},{"quota":"oak","island":"b","nodes":0}]}`,
			"t/g can promise 12 nodes; backed then: elm by 4 nodes of a and none of b, oak by no node of b",
		},
		{"policy.set", `{"policy":{"openReading":true}}`, "the fleet's policy is now: buffer fixed 0 %, dwell 0s, probation 0s, stale after 0s, idle threshold 0, idle window 0s, flex minimum 0s, maximum grace 0s, open reading yes"},
		{"some.day", `{"quota":"u","x":1}`, "u x 1"},
	} {
		if got := n.plan(&musterv1.Event{Kind: c.kind, Data: c.data}); got != c.want {
			t.Errorf("%s: %q, want %q", c.kind, got, c.want)
		}
	}
}

func TestWorkThatGoesFirstIsNamedOnce(t *testing.T) {
	first := ahead([]*musterv1.Blocker{{Code: "Behind", Culprits: []string{"elm/a"}}}, &musterv1.Forecast{RestsOn: []*musterv1.Ground{{Kind: "queued", Name: "elm/a"}, {Kind: "run time", Name: "elm/b"}}})
	if !slices.Equal(first, []string{"elm/a"}) {
		t.Errorf("%q goes first", first)
	}
}

func TestWhatBefallsSeveralWorkloadsIsSaidOnce(t *testing.T) {
	n := &names{jobs: map[uint64]string{4: "red/a", 5: "red/b"}}
	event := func(kind, data string) *musterv1.Event { return &musterv1.Event{Kind: kind, Data: data} }
	got := n.plans([]*musterv1.Event{
		event("gang.returned", `{"id":4,"why":"no node"}`), event("gang.returned", `{"id":5,"why":"no node"}`),
		event("holds.changed", `{"id":4,"pool":0,"from":0,"to":1,"holds":2}`), event("holds.changed", `{"id":4,"pool":0,"from":3,"to":4,"holds":2}`),
	})
	want := []string{"each of red/a, red/b goes back to its queue with its age: no node", "red/a (2 replicas) becomes borrowing"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
