package api_test

import (
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/api"
)

// crowded is a house that is full: four partitions of 64 nodes, six quotas with a grant in each,
// so many rounds of work of one to four nodes in every quota, which declares one to 24 hours, and more on flex.
func crowded(t testing.TB, rounds int, edit ...func(*api.Options)) *house {
	t.Helper()
	h := open(t, edit...)
	var changes []*musterv1.Change
	add := func(c *musterv1.Change) { changes = append(changes, c) }
	add(&musterv1.Change{Change: &musterv1.Change_AddCluster{AddCluster: &musterv1.AddClusterRequest{Name: "tiger"}}})
	for q := range 6 {
		add(&musterv1.Change{Change: &musterv1.Change_CreateQuota{CreateQuota: &musterv1.CreateQuotaRequest{Path: quotaNo(q)}}})
	}
	for p := range 4 {
		gpu := fmt.Sprint("h", 100*(p+1))
		add(&musterv1.Change{Change: &musterv1.Change_AddPartition{AddPartition: &musterv1.AddPartitionRequest{Cluster: "tiger", Gpu: gpu}}})
		var islands []*musterv1.NewIsland
		for i := range 4 {
			islands = append(islands, &musterv1.NewIsland{Name: fmt.Sprint("i", i), Nodes: 16})
		}
		add(&musterv1.Change{Change: &musterv1.Change_AddIslands{AddIslands: &musterv1.AddIslandsRequest{Partition: "tiger/" + gpu, Islands: islands}}})
		for q := range 6 {
			add(&musterv1.Change{Change: &musterv1.Change_SetGrant{SetGrant: &musterv1.SetGrantRequest{Quota: quotaNo(q), Partition: "tiger/" + gpu, Gpus: 64}}})
		}
	}
	_, err := h.Fleet.Apply(t.Context(), &musterv1.ApplyRequest{Write: &musterv1.Write{Reason: "the first fleet"}, Changes: changes})
	must(t, err)
	n := 0
	submit := func(target, partition string) {
		spec := gang(fmt.Sprint("w", n), target, int32(1+n%4))
		spec.Partition, spec.MaxRuntime = partition, durationpb.New(time.Duration(1+n*7%24)*time.Hour)
		n++
		h.submit(spec)
	}
	for range rounds {
		for q := range 6 {
			submit(quotaNo(q), fmt.Sprint("tiger/h", 100*(1+n%4)))
		}
	}
	for range 3 * rounds {
		submit("flex", "")
	}
	return h
}

func quotaNo(q int) string { return fmt.Sprint("research/team", q) }

// BenchmarkFit asks about a gang of four nodes in each of 28 places, on a full fleet.
func BenchmarkFit(b *testing.B) {
	h := crowded(b, 40)
	known, places := 0, 0
	for b.Loop() {
		spec := gang("", "", 4)
		res, err := h.Workloads.Fit(b.Context(), &musterv1.FitRequest{Patient: true, Spec: &musterv1.FitSpec{Namespace: spec.GetNamespace(), Pools: spec.GetPools(), MaxRuntime: durationpb.New(6 * time.Hour)}})
		must(b, err)
		for _, p := range res.GetPlaces() {
			places++
			if p.GetOutcome() == "starts" || p.GetForecast().GetKnown() {
				known++
			}
		}
	}
	b.ReportMetric(float64(known)/float64(b.N), "known")
	b.ReportMetric(float64(places)/float64(b.N), "places")
}

// BenchmarkWhen asks about one gang that waits there.
func BenchmarkWhen(b *testing.B) {
	h := crowded(b, 40)
	for _, target := range []string{quotaNo(0), "flex"} {
		spec := gang("asked-"+target[:4], target, 4)
		spec.MaxRuntime = durationpb.New(6 * time.Hour)
		h.submit(spec)
		b.Run(target, func(b *testing.B) {
			known := 0
			for b.Loop() {
				res, err := h.Workloads.When(b.Context(), &musterv1.WhenRequest{Namespace: spec.GetNamespace(), Name: spec.GetName(), Patient: true})
				must(b, err)
				if res.GetForecast().GetKnown() {
					known++
				}
			}
			b.ReportMetric(float64(known)/float64(b.N), "known")
		})
	}
}
