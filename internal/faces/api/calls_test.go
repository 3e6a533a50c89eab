package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// One story that makes each call of the fleet's services once, and looks at what it did.

func TestOperatorsBuildAFleet(t *testing.T) {
	h, ctx := open(t), t.Context()
	_, err := h.Fleet.AddCluster(ctx, &musterv1.AddClusterRequest{Name: "tiger", Mode: "enforce"})
	must(t, err)
	_, err = h.Fleet.AddPartition(ctx, &musterv1.AddPartitionRequest{Cluster: "tiger", Gpu: "h200", GpusPerNode: 4})
	must(t, err)
	_, err = h.Fleet.AddIslands(ctx, &musterv1.AddIslandsRequest{
		Partition: "tiger/h200",
		Islands:   []*musterv1.NewIsland{{Name: "i1", Nodes: 4, Racks: 2}, {Name: "i2", Names: []string{"odd-1", "odd-2"}}},
	})
	must(t, err)
	_, err = h.Fleet.SetPolicy(ctx, &musterv1.SetPolicyRequest{Policy: &musterv1.Policy{
		Buffer: &musterv1.Buffer{Share: 0.25}, MaxGrace: durationpb.New(time.Hour),
	}})
	must(t, err)
	_, err = h.Fleet.SetBuffer(ctx, &musterv1.SetBufferRequest{Scope: "tiger/h200/i2", Buffer: &musterv1.Buffer{Kind: "fixed", Share: 0.5}})
	must(t, err)
	_, err = h.Fleet.SetNodes(ctx, &musterv1.SetNodesRequest{Names: []string{"odd-2"}, State: "degraded", Dead: 1, Signal: "XID 79"})
	must(t, err)
	_, err = h.Fleet.OpenIncident(ctx, &musterv1.OpenIncidentRequest{Name: "sev-1", Severity: "sev2", Nodes: []string{"odd-2"}})
	must(t, err)

	f, err := h.Fleet.GetFleet(ctx, &musterv1.GetFleetRequest{})
	must(t, err)
	p := f.GetClusters()[0].GetPartitions()[0]
	equal(t, "partition", p.GetId(), "tiger/h200")
	equal(t, "GPUs per node", p.GetGpusPerNode(), 4)
	equal(t, "nodes of i2", strings.Join(p.GetIslands()[1].GetNodes(), " "), "odd-1 odd-2")
	equal(t, "buffer", f.GetPolicy().GetBuffer().GetShare(), 0.25)
	equal(t, "max grace, which the call named", f.GetPolicy().GetMaxGrace().AsDuration(), time.Hour)
	equal(t, "dwell, which it left out", f.GetPolicy().GetDwell().AsDuration(), 24*time.Hour)
	equal(t, "buffer of i2", f.GetBuffers()["tiger/h200/i2"].GetShare(), 0.5)
	equal(t, "open incidents", len(f.GetIncidents()), 1)

	_, err = h.Fleet.CloseIncident(ctx, &musterv1.CloseIncidentRequest{Name: "sev-1"})
	must(t, err)
	open, err := h.Fleet.ListIncidents(ctx, &musterv1.ListIncidentsRequest{})
	must(t, err)
	equal(t, "incidents still open", len(open.GetIncidents()), 0)
	all, err := h.Fleet.ListIncidents(ctx, &musterv1.ListIncidentsRequest{Closed: true})
	must(t, err)
	equal(t, "incidents ever", len(all.GetIncidents()), 1)
}

func TestOperatorsShareQuotaOut(t *testing.T) {
	h, ctx := furnished(t), t.Context()
	_, err := h.Quotas.CreateQuota(ctx, &musterv1.CreateQuotaRequest{Path: "research/elm", Access: &musterv1.Access{Groups: []string{"elm"}}})
	must(t, err)
	gang := int32(16)
	_, err = h.Quotas.SetGrant(ctx, &musterv1.SetGrantRequest{
		Write: &musterv1.Write{Reason: "they train in December"},
		Quota: "research/elm", Partition: "tiger/h200", Gpus: 24, Gang: &gang,
	})
	must(t, err)
	_, err = h.Quotas.Transfer(ctx, &musterv1.TransferRequest{From: "research/oak", To: "research/elm", Partition: "tiger/h200", Gpus: 8})
	must(t, err)
	placed, err := h.Quotas.PlaceHold(ctx, &musterv1.PlaceHoldRequest{
		Quota: "research/oak", Partition: "tiger/h200", Gpus: 16, Until: timestamppb.New(noon.Add(48 * time.Hour)),
	})
	must(t, err)
	_, err = h.Quotas.SetAccess(ctx, &musterv1.SetAccessRequest{Path: "research/oak", Access: &musterv1.Access{Users: []string{"ada"}}})
	must(t, err)

	elm, err := h.Quotas.GetQuota(ctx, &musterv1.GetQuotaRequest{Path: "research/elm"})
	must(t, err)
	g := elm.GetQuota().GetGrants()[0]
	equal(t, "assigned", g.GetAssigned(), 32)
	equal(t, "gang", g.GetGang(), 16)
	equal(t, "backed", g.GetBacked(), 32)
	equal(t, "who may", strings.Join(elm.GetQuota().GetAccess().GetGroups(), " "), "elm")

	list, err := h.Quotas.ListQuotas(ctx, &musterv1.ListQuotasRequest{Under: "research"})
	must(t, err)
	equal(t, "quotas under research, itself included", len(list.GetQuotas()), 3)
	equal(t, "oak's hold", list.GetQuotas()[2].GetHolds()[0].GetGpus(), 16)

	_, err = h.Quotas.ReleaseHold(ctx, &musterv1.ReleaseHoldRequest{Id: placed.GetId()})
	must(t, err)
	_, err = h.Quotas.CreateQuota(ctx, &musterv1.CreateQuotaRequest{Path: "research/ash"})
	must(t, err)
	_, err = h.Quotas.DeleteQuota(ctx, &musterv1.DeleteQuotaRequest{Path: "research/ash"})
	must(t, err)

	told := historyOf(t, h, &musterv1.HistoryRequest{Quota: "research/elm"})
	wantLines(t, told,
		"created, open to groups elm",
		"grant in tiger/h200 from 0 to 24 GPUs, gang 16",
		"8 GPUs of tiger/h200 transferred from research/oak")
	equal(t, "reason of the grant", told[1].GetReason(), "they train in December")
	equal(t, "before the transfer", told[2].GetWas(), 24)
	equal(t, "after it", told[2].GetGpus(), 32)
	wantLines(t, historyOf(t, h, &musterv1.HistoryRequest{Quota: "research/oak", Limit: 2}),
		"access: open to users ada",
		fmt.Sprintf("hold %d of 16 GPUs of tiger/h200 released", placed.GetId()))
}

func historyOf(t *testing.T, h *house, m *musterv1.HistoryRequest) []*musterv1.QuotaChange {
	t.Helper()
	answer, err := h.Quotas.History(t.Context(), m)
	must(t, err)
	return answer.GetChanges()
}

func wantLines(t *testing.T, changes []*musterv1.QuotaChange, want ...string) {
	t.Helper()
	var got []string
	for _, c := range changes {
		got = append(got, c.GetText())
	}
	equal(t, "history", strings.Join(got, "\n"), strings.Join(want, "\n"))
}

func TestResearchersSubmitWork(t *testing.T) {
	h, ctx := furnished(t), t.Context()
	first := h.submit(gang("base", "research/oak", 4))
	batch, err := h.Workloads.SubmitBatch(ctx, &musterv1.SubmitBatchRequest{Specs: []*musterv1.WorkloadSpec{
		gang("next", "research/oak", 2), gang("spare", "flex", 1),
	}})
	must(t, err)
	equal(t, "numbers of the batch", len(batch.GetIds()), 2)
	equal(t, "numbers in order", first.GetId() < batch.GetIds()[0] && batch.GetIds()[0] < batch.GetIds()[1], true)

	base := workloadNamed(t, h, "base")
	equal(t, "state", base.GetState(), "running")
	equal(t, "holds", base.GetHolds(), "guaranteed")
	equal(t, "GPUs", base.GetGpus(), 32)
	equal(t, "nodes", len(base.GetNodes()), 4)
	equal(t, "reach, where the spec leaves it out", base.GetSpec().GetPools()[0].GetReach(), "island")
	equal(t, "priority, where it does", base.GetSpec().GetPriority(), "mid")
	equal(t, "grace, where it does", base.GetSpec().GetGrace().AsDuration(), 30*time.Second)

	why, err := h.Workloads.Why(ctx, &musterv1.WhyRequest{Namespace: "oak", Name: "next"})
	must(t, err)
	equal(t, "reason of the next", why.GetWorkload().GetReason(), "QuotaFull")
	equal(t, "GPUs that it needs", why.GetBlockers()[0].GetFigures()["needs"], 16)
	equal(t, "its turn", why.GetWorkload().GetPosition(), 1)

	_, err = h.Workloads.SetPriority(ctx, &musterv1.SetPriorityRequest{Namespace: "oak", Name: "next", Priority: "low"})
	must(t, err)
	_, err = h.Workloads.Retarget(ctx, &musterv1.RetargetRequest{Namespace: "oak", Name: "next", Target: "flex"})
	must(t, err)
	next := workloadNamed(t, h, "next")
	equal(t, "priority of the next", next.GetSpec().GetPriority(), "low")
	equal(t, "holds of the next", next.GetHolds(), "flex")
	_, err = h.Workloads.Cancel(ctx, &musterv1.CancelRequest{Namespace: "oak", Name: "spare"})
	must(t, err)

	h.submit(&musterv1.WorkloadSpec{Name: "engines", Namespace: "oak", Target: "flex", Pools: []*musterv1.Pool{{Name: "main", Gpus: 1, Min: 2, Max: 4}}})
	_, err = h.Workloads.Resize(ctx, &musterv1.ResizeRequest{Namespace: "oak", Name: "engines", Max: 7})
	must(t, err)
	engines := workloadNamed(t, h, "engines")
	equal(t, "engines at least, which the call left out", engines.GetSpec().GetPools()[0].GetMin(), 2)
	equal(t, "engines that run", engines.GetPools()["main"], 7)
	_, err = h.Workloads.Resize(ctx, &musterv1.ResizeRequest{Namespace: "oak", Name: "engines", Pool: "main", Min: 1, Max: 3})
	must(t, err)
	equal(t, "engines at most", workloadNamed(t, h, "engines").GetSpec().GetPools()[0].GetMax(), 3)
	_, err = h.Workloads.Cancel(ctx, &musterv1.CancelRequest{Namespace: "oak", Name: "engines"})
	must(t, err)

	equal(t, "alive", names(t, h, &musterv1.ListWorkloadsRequest{Reasons: true}), "base next")
	equal(t, "cancelled", names(t, h, &musterv1.ListWorkloadsRequest{States: []string{"cancelled"}}), "spare engines")
	equal(t, "cancelled, newest first", names(t, h, &musterv1.ListWorkloadsRequest{States: []string{"cancelled"}, NewestFirst: true}), "engines spare")
	equal(t, "alive, newest first", names(t, h, &musterv1.ListWorkloadsRequest{NewestFirst: true}), "next base")
	equal(t, "on flex", names(t, h, &musterv1.ListWorkloadsRequest{Target: "flex"}), "next")
}

func workloadNamed(t *testing.T, h *house, name string) *musterv1.Workload {
	t.Helper()
	answer, err := h.Workloads.GetWorkload(t.Context(), &musterv1.GetWorkloadRequest{Namespace: "oak", Name: name})
	must(t, err)
	return answer.GetWorkload()
}

func names(t *testing.T, h *house, m *musterv1.ListWorkloadsRequest) string {
	t.Helper()
	answer, err := h.Workloads.ListWorkloads(t.Context(), m)
	must(t, err)
	var list []string
	for _, w := range answer.GetWorkloads() {
		list = append(list, w.GetSpec().GetName())
	}
	return strings.Join(list, " ")
}

func TestListsOfWorkloadsComeInPages(t *testing.T) {
	h, ctx := furnished(t), t.Context()
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		h.submit(gang(name, "flex", 1))
	}
	var pages []int
	from := uint64(0)
	for {
		page, err := h.Workloads.ListWorkloads(ctx, &musterv1.ListWorkloadsRequest{Limit: 2, From: from})
		must(t, err)
		pages = append(pages, len(page.GetWorkloads()))
		if from = page.GetNext(); from == 0 {
			break
		}
	}
	equal(t, "pages", len(pages), 3)
	equal(t, "on the last page", pages[2], 1)

	first, err := h.Workloads.ListWorkloads(ctx, &musterv1.ListWorkloadsRequest{Limit: 2, NewestFirst: true})
	must(t, err)
	equal(t, "the last two", first.GetWorkloads()[0].GetSpec().GetName()+first.GetWorkloads()[1].GetSpec().GetName(), "ed")
	equal(t, "from there downwards", names(t, h, &musterv1.ListWorkloadsRequest{NewestFirst: true, From: first.GetNext()}), "c b a")
}

func TestPeopleSeeWhatTheFleetCanMuster(t *testing.T) {
	h, ctx := furnished(t), t.Context()
	h.submit(gang("train", "research/oak", 2))
	small := gang("probe", "flex", 1)
	small.Pools[0].Gpus = 2
	h.submit(small)
	_, err := h.Fleet.SetNodes(ctx, &musterv1.SetNodesRequest{Names: []string{"tiger-h200-i2-008"}, State: "quarantined"})
	must(t, err)

	c, err := h.Capacity.Capacity(ctx, &musterv1.CapacityRequest{})
	must(t, err)
	f := c.GetPartitions()[0].GetFigures()
	equal(t, "installed", f.GetInstalled(), 128)
	equal(t, "healthy", f.GetHealthy(), 120)
	equal(t, "promisable", f.GetPromisable(), 104)
	equal(t, "scheduled", f.GetScheduled(), 16)
	equal(t, "flex", f.GetFlex(), 104)
	equal(t, "flex used", f.GetFlexUsed(), 2)
	equal(t, "installed in the fleet", c.GetFleet().GetInstalled(), 128)
	equal(t, "clusters", c.GetClusters()[0].GetCluster(), "tiger")
	equal(t, "whole nodes of i2", c.GetPartitions()[0].GetIslands()[1].GetWhole(), 7)

	flex, err := h.Capacity.Flex(ctx, &musterv1.FlexRequest{Scope: "tiger"})
	must(t, err)
	equal(t, "flex that oak uses", flex.GetPools()[0].GetNamespaces()[0].GetUsed(), 2)

	free, err := h.Capacity.Free(ctx, &musterv1.FreeRequest{Scope: "tiger/h200"})
	must(t, err)
	whole, gpus, pieces := int32(0), int32(0), int32(0)
	for _, i := range free.GetIslands() {
		whole, gpus, pieces = whole+i.GetFreeNodes(), gpus+i.GetFree(), pieces+i.GetNodesByFree()[6]
	}
	equal(t, "free nodes", whole, 12)
	equal(t, "free GPUs", gpus, 12*8+6)
	equal(t, "nodes with 6 free GPUs", pieces, 1)

	down, err := h.Capacity.Nodes(ctx, &musterv1.NodesRequest{Scope: "tiger/h200/i2", States: []string{"quarantined"}})
	must(t, err)
	equal(t, "quarantined", down.GetNodes()[0].GetName(), "tiger-h200-i2-008")
	equal(t, "how many", len(down.GetNodes()), 1)
}

func TestTheServerSaysHowItIs(t *testing.T) {
	h, ctx := furnished(t), t.Context()
	h.submit(gang("train", "research/oak", 2))
	s, err := h.System.Status(ctx, &musterv1.StatusRequest{})
	must(t, err)
	equal(t, "version of the state", s.GetSeen().GetVersion(), h.version())
	equal(t, "nodes", s.GetNodes(), 16)
	equal(t, "GPUs", s.GetGpus(), 128)
	equal(t, "running", s.GetWorkloads()["running"], 1)
	v, err := h.System.Version(ctx, &musterv1.VersionRequest{})
	must(t, err)
	equal(t, "version", v.GetVersion(), "v0.0.0-test")
	hash, err := h.System.StateHash(ctx, &musterv1.StateHashRequest{})
	must(t, err)
	equal(t, "hash", hash.GetHash(), h.hash())
}

// equal says where a figure is not what it should be.
func equal[T comparable](t testing.TB, what string, is, want T) {
	t.Helper()
	if is != want {
		t.Errorf("%s: %v, want %v", what, is, want)
	}
}
