package api_test

import (
	"fmt"
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// BenchmarkWhyHelp asks why the last of 10,000 workloads waits on a fleet of 1,000 nodes, what would help, and what
// happened to it: the costliest question about one workload.
func BenchmarkWhyHelp(b *testing.B) {
	h := open(b)
	var changes []*musterv1.Change
	add := func(c *musterv1.Change) { changes = append(changes, c) }
	add(&musterv1.Change{Change: &musterv1.Change_AddCluster{AddCluster: &musterv1.AddClusterRequest{Name: "tiger"}}})
	add(&musterv1.Change{Change: &musterv1.Change_AddPartition{AddPartition: &musterv1.AddPartitionRequest{Cluster: "tiger", Gpu: "h200"}}})
	var islands []*musterv1.NewIsland
	for i := range 20 {
		islands = append(islands, &musterv1.NewIsland{Name: fmt.Sprint("i", i), Nodes: 50})
	}
	add(&musterv1.Change{Change: &musterv1.Change_AddIslands{AddIslands: &musterv1.AddIslandsRequest{Partition: "tiger/h200", Islands: islands}}})
	_, err := h.Fleet.Apply(b.Context(), &musterv1.ApplyRequest{Write: &musterv1.Write{Reason: "the first fleet"}, Changes: changes})
	must(b, err)
	const waiting = 10_000
	for n := 0; n < waiting; n += 1000 {
		var specs []*musterv1.WorkloadSpec
		for i := range 1000 {
			specs = append(specs, gang(fmt.Sprint("w", n+i), "flex", 1))
		}
		_, err := h.Workloads.SubmitBatch(b.Context(), &musterv1.SubmitBatchRequest{Specs: specs})
		must(b, err)
	}
	b.ReportAllocs()
	for b.Loop() {
		res, err := h.Workloads.Why(b.Context(), &musterv1.WhyRequest{Namespace: "oak", Name: fmt.Sprint("w", waiting-1), Help: true, History: true, Patient: true})
		must(b, err)
		b.ReportMetric(float64(len(res.GetChanges())), "changes")
	}
}
