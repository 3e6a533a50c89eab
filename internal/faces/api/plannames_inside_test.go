package api

import (
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A refusal names what its caller may read or asked about, and no other work. Partitions, quotas and
// what is no name stay.
func TestARefusalNamesNoHiddenWork(t *testing.T) {
	s := fleet.NewState()
	for id, namespace := range []string{"eve", "kestrel"} {
		s.AddWorkload(uint64(id+1), fleet.Spec{Name: "runs", Namespace: namespace, Target: fleet.Flex, Pools: []fleet.Pool{{Name: "w", GPUs: 1, Min: 1, Max: 1}}}, 0)
	}
	eve := &caller{actor: core.Actor{Name: "user:eve", User: "eve", Principal: fleet.Principal{Kind: fleet.UserPrincipal, Name: "eve"}}}
	for _, c := range []struct {
		by   *caller
		asks writeMessage
		want string
	}{
		{eve, &musterv1.ApplyHaircutRequest{Name: "autumn"}, "tiger/h200 of research/oak: another team's work (8 GPUs), 3/4; say why."},
		{eve, &musterv1.ApplyHaircutRequest{Name: "all-kestrel-runs"}, "tiger/h200 of research/oak: another team's work (8 GPUs), 3/4; say why."},
		{eve, &musterv1.TransferRequest{From: "research/oak", Write: &musterv1.Write{IdempotencyKey: "kestrel/runs"}}, "tiger/h200 of research/oak: another team's work (8 GPUs), 3/4; say why."},
		{eve, &musterv1.TransferRequest{From: "kestrel", To: "runs"}, "tiger/h200 of research/oak: another team's work (8 GPUs), 3/4; say why."},
		{eve, &musterv1.ApplyRequest{Changes: []*musterv1.Change{{Change: &musterv1.Change_CreateQuota{CreateQuota: &musterv1.CreateQuotaRequest{Path: "kestrel/runs"}}}}}, "tiger/h200 of research/oak: another team's work (8 GPUs), 3/4; say why."},
		{eve, &musterv1.AddZoneRequest{Zone: &musterv1.Zone{Workload: "kestrel/runs"}}, "tiger/h200 of research/oak: kestrel/runs (8 GPUs), 3/4; say why."},
		{eve, &musterv1.SubmitBatchRequest{Specs: []*musterv1.WorkloadSpec{{Namespace: "kestrel", Name: "runs"}}}, "tiger/h200 of research/oak: kestrel/runs (8 GPUs), 3/4; say why."},
		{eve, &musterv1.CancelRequest{Namespace: "kestrel", Name: "runs"}, "tiger/h200 of research/oak: kestrel/runs (8 GPUs), 3/4; say why."},
		{&caller{actor: core.System}, &musterv1.ApplyHaircutRequest{Name: "autumn"}, "tiger/h200 of research/oak: kestrel/runs (8 GPUs), 3/4; say why."},
	} {
		if got := (planNames{s, c.by}).textBut("tiger/h200 of research/oak: kestrel/runs (8 GPUs), 3/4; say why.", c.asks); got != c.want {
			t.Errorf("%s is told %q, want %q", c.by.actor.Name, got, c.want)
		}
	}
}
