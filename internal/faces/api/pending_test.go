package api_test

import (
	"fmt"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/api"
)

// What waits takes memory in each copy of the state: one user has so many waiting, and operators as
// many as they like.
func TestWaitingWorkOfOneCallerIsBounded(t *testing.T) {
	h := guarded(t, func(o *api.Options) { o.MostWaiting = 150 })
	bob := h.as(bobToken, "")
	send := func(by *client.Client, name string, n int) connect.Code {
		m := &musterv1.SubmitBatchRequest{}
		for i := range n {
			m.Specs = append(m.Specs, gang(fmt.Sprintf("%s-%d", name, i), "flex", 2000))
		}
		if _, err := by.Workloads.SubmitBatch(t.Context(), m); err != nil {
			return connect.CodeOf(err)
		}
		return 0
	}
	equal(t, "more than may wait", send(bob, "a", 151), connect.CodeResourceExhausted)
	equal(t, "as many as may wait", send(bob, "b", 150), 0)
	equal(t, "one more", send(bob, "c", 1), connect.CodeResourceExhausted)
	equal(t, "an operator's", send(h.Client, "ops", 200), 0)
}

// A workload of 32 pools takes as much memory as 32 workloads, so it counts as many.
func TestPoolsOfWaitingWorkCount(t *testing.T) {
	h := guarded(t, func(o *api.Options) { o.MostWaiting = 150 })
	bob := h.as(bobToken, "")
	send := func(name string, pools int) connect.Code {
		sp := gang(name, "flex", 2000)
		for i := range pools - 1 {
			sp.Pools = append(sp.Pools, &musterv1.Pool{Name: fmt.Sprintf("more-%d", i), Gpus: 1, Replicas: 1})
		}
		if _, err := bob.Workloads.Submit(t.Context(), &musterv1.SubmitRequest{Spec: sp}); err != nil {
			return connect.CodeOf(err)
		}
		return 0
	}
	for i := range 4 {
		equal(t, "as many as may wait", send(fmt.Sprintf("large-%d", i), 32), 0)
	}
	equal(t, "one more of 32 pools", send("large-4", 32), connect.CodeResourceExhausted)
	equal(t, "a small one", send("small", 1), 0)
}

// Each decision looks at the first workload of each kind, so 20,000 kinds of one user made every
// decision of a partition a hundred times slower. One user has 1,000 kinds waiting at most.
func TestKindsOfWaitingWorkAreBounded(t *testing.T) {
	h := guarded(t)
	bob := h.as(bobToken, "")
	batch := func(name string, from, to int) *musterv1.SubmitBatchRequest {
		m := &musterv1.SubmitBatchRequest{}
		for i := from; i < to; i++ {
			sp := gang(fmt.Sprintf("%s-%d", name, i), "flex", 2000)
			sp.MaxRuntime = durationpb.New(3600e9 + 1e9*1)
			sp.MaxRuntime.Seconds += int64(i)
			m.Specs = append(m.Specs, sp)
		}
		return m
	}
	send := func(m *musterv1.SubmitBatchRequest) connect.Code {
		if _, err := bob.Workloads.SubmitBatch(t.Context(), m); err != nil {
			return connect.CodeOf(err)
		}
		return 0
	}
	equal(t, "1,001 kinds at once", send(batch("all", 0, 1001)), connect.CodeResourceExhausted)
	equal(t, "1,000 kinds", send(batch("a", 0, 1000)), 0)
	equal(t, "the same kinds again", send(batch("b", 0, 1000)), 0)
	equal(t, "one kind more", send(batch("c", 1000, 1001)), connect.CodeResourceExhausted)
	_, err := bob.Workloads.Resize(t.Context(), &musterv1.ResizeRequest{Namespace: "oak", Name: "a-1", Max: 1999})
	equal(t, "another size is another kind", connect.CodeOf(err), connect.CodeResourceExhausted)
	_, err = h.Workloads.SubmitBatch(t.Context(), batch("ops", 2000, 3100))
	must(t, err) // an operator is not bounded
}
