package api

import (
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A list takes as long as what is known takes, however much work there has ever been: most numbers are of work that is
// long forgotten.
func TestAListDoesNotGoByTheNumbersOfForgottenWork(t *testing.T) {
	const ever = 1 << 50
	s := fleet.NewState()
	for _, id := range []uint64{7, ever - 2, ever - 1} {
		s.AddWorkload(id, fleet.Spec{Name: "job", Namespace: "oak", Target: fleet.Flex, Pools: []fleet.Pool{{Name: "w", GPUs: 1, Min: 1, Max: 1}}}, 0)
	}
	for _, c := range []struct {
		what string
		ask  *musterv1.ListWorkloadsRequest
		want []uint64
	}{
		{"all", &musterv1.ListWorkloadsRequest{}, []uint64{7, ever - 2, ever - 1}},
		{"of all states", &musterv1.ListWorkloadsRequest{States: []string{"pending", "cancelled"}}, []uint64{7, ever - 2, ever - 1}},
		{"newest first", &musterv1.ListWorkloadsRequest{NewestFirst: true}, []uint64{ever - 1, ever - 2, 7}},
		{"from a number on", &musterv1.ListWorkloadsRequest{From: 8}, []uint64{ever - 2, ever - 1}},
		{"from a number down", &musterv1.ListWorkloadsRequest{From: ever - 2, NewestFirst: true}, []uint64{ever - 2, 7}},
		{"of some numbers", &musterv1.ListWorkloadsRequest{Ids: []uint64{ever - 1, 8, 7, 7}}, []uint64{7, ever - 1}},
		{"of some numbers, and of a state", &musterv1.ListWorkloadsRequest{Ids: []uint64{7}, States: []string{"finished"}}, nil},
		{"what has ended", &musterv1.ListWorkloadsRequest{States: []string{"finished"}}, nil},
	} {
		list, _ := listing{c.ask, 10, &caller{actor: core.System}}.choose(s)
		if len(list) != len(c.want) {
			t.Fatalf("%s: %d workloads, want %v", c.what, len(list), c.want)
		}
		for i, w := range list {
			if w.ID != c.want[i] {
				t.Errorf("%s: workload %d is number %d, want %d", c.what, i, w.ID, c.want[i])
			}
		}
	}
}
