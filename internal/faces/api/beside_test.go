package api_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/api"
)

// mostWait is how long an operator's command may take beside what others do, 99 times of
// 100. The aim is 50 ms; the rest is for a machine that does other things besides. With a batch taken whole it is 170 ms.
const mostWait = 100 * time.Millisecond

// busyFleet is a guarded house with a thousand nodes.
func busyFleet(t *testing.T, edit ...func(*api.Options)) *house {
	h := guarded(t, edit...)
	_, err := h.Fleet.AddIslands(t.Context(), &musterv1.AddIslandsRequest{Partition: "tiger/h200", Islands: []*musterv1.NewIsland{{Name: "i3", Nodes: 500}, {Name: "i4", Nodes: 484}}})
	must(t, err)
	return h
}

// operatorWrites gives commands as an operator until ctx ends, and says how long each took.
func operatorWrites(ctx context.Context, h *house) (took []time.Duration) {
	ops := h.as("ops-token-0123456789abcdef", "")
	for i := 0; ctx.Err() == nil; i++ {
		began := time.Now()
		_, err := ops.Quotas.SetGrant(ctx, &musterv1.SetGrantRequest{Quota: "research/oak", Partition: "tiger/h200", Gpus: int32(32 + 8*(i%2))})
		if err != nil {
			break
		}
		took = append(took, time.Since(began))
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Millisecond):
		}
	}
	return took
}

// beside measures an operator's commands beside what others do.
func beside(t *testing.T, h *house, what string, others func()) {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	done := make(chan []time.Duration)
	go func() { done <- operatorWrites(ctx, h) }()
	began := time.Now()
	others()
	whole := time.Since(began)
	end()
	took := <-done
	slices.Sort(took)
	if len(took) == 0 {
		t.Fatalf("%s: no command was answered in %v", what, whole)
	}
	p99 := took[len(took)*99/100]
	t.Logf("beside %s, %v: %d commands, p50 %v, p99 %v, the longest %v", what, whole.Round(time.Millisecond), len(took), took[len(took)/2].Round(time.Microsecond),
		p99.Round(time.Microsecond), took[len(took)-1].Round(time.Microsecond))
	if p99 > mostWait && os.Getenv("MUSTER_LOAD") != "" { // elsewhere the machine may be busy, or the race detector slow
		t.Errorf("beside %s: p99 %v", what, p99)
	}
}

func TestOperatorsCommandsDoNotWaitForOthers(t *testing.T) {
	batches := 1
	if os.Getenv("MUSTER_LOAD") != "" { // the figures of docs/security.md
		batches = 10
	}
	h := busyFleet(t, func(o *api.Options) { o.MostWaiting = 100_000 })
	ada := h.as("ada-token-0123456789abcdef", "")
	beside(t, h, fmt.Sprintf("a user's %d workloads", batches*10_000), func() {
		for b := range batches {
			m := &musterv1.SubmitBatchRequest{}
			for i := range 10_000 {
				m.Specs = append(m.Specs, gang(fmt.Sprintf("w%d-%d", b, i), "research/oak", 2))
			}
			res, err := ada.Workloads.SubmitBatch(t.Context(), m)
			must(t, err)
			equal(t, "numbers", len(res.GetIds()), 10_000)
		}
	})
	beside(t, h, "20 dry runs", func() {
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				_, _ = ada.Workloads.Submit(t.Context(), &musterv1.SubmitRequest{Write: &musterv1.Write{DryRun: true}, Spec: gang("dry", "flex", 1)})
			})
		}
		all.Wait()
	})
	beside(t, h, "6 that ask for the state's hash", func() {
		var all sync.WaitGroup
		for range 6 {
			all.Go(func() { _, _ = ada.System.StateHash(t.Context(), &musterv1.StateHashRequest{}) })
		}
		all.Wait()
	})
}

// A large batch is refused before any of it is taken, and one that is sent again is
// answered as the first time.
func TestALargeBatchIsTakenWholeOrNotAtAll(t *testing.T) {
	h := furnished(t)
	batch := func(last string) *musterv1.SubmitBatchRequest {
		m := &musterv1.SubmitBatchRequest{Write: &musterv1.Write{IdempotencyKey: "many"}}
		for i := range 999 {
			m.Specs = append(m.Specs, gang(fmt.Sprintf("w%d", i), "research/oak", 1))
		}
		m.Specs = append(m.Specs, gang(last, "research/oak", 1))
		return m
	}
	before := h.version()
	_, err := h.Workloads.SubmitBatch(t.Context(), batch("w7"))
	equal(t, "a name twice", client.Refused(err, client.NameTaken), true)
	equal(t, "records of what was refused", h.version(), before)
	first, err := h.Workloads.SubmitBatch(t.Context(), batch("last"))
	must(t, err)
	again, err := h.Workloads.SubmitBatch(t.Context(), batch("last"))
	must(t, err)
	equal(t, "version, when it is sent again", again.GetWritten().GetVersion(), first.GetWritten().GetVersion())
	equal(t, "it is a repeat", again.GetWritten().GetRepeat(), true)
	equal(t, "numbers", slices.Equal(first.GetIds(), again.GetIds()) && len(again.GetIds()) == 1000, true)
	_, err = h.Workloads.SubmitBatch(t.Context(), batch("other"))
	equal(t, "another batch with its key", client.Refused(err, client.KeyReused), true)
}

// Who follows more streams than anybody needs is refused the next one.
func TestStreamsOfOneCallerAreCounted(t *testing.T) {
	h := guarded(t)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	bob := h.as("bob-token-0123456789abcdef", "")
	open := 0
	var refused error
	for range 100 {
		stream, err := bob.Events.Watch(ctx, &musterv1.WatchRequest{From: 1})
		if err == nil && stream.Receive() {
			open++
			continue
		}
		if err == nil {
			err = stream.Err()
		}
		refused = err
		break
	}
	var e *connect.Error
	if !errors.As(refused, &e) || e.Code() != connect.CodeResourceExhausted || open != 32 {
		t.Errorf("after %d streams: %v", open, refused)
	}
	stream, err := h.as("ada-token-0123456789abcdef", "").Events.Watch(ctx, &musterv1.WatchRequest{From: 1})
	must(t, err)
	equal(t, "somebody else's", stream.Receive(), true)
}
