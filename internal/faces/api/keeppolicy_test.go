package api_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/api"
)

// batchKept is an engine that says when it is given a batch, and decides it once it may.
type batchKept struct {
	api.Engine
	on         *atomic.Bool
	comes, may chan struct{}
}

func (e batchKept) wait(r core.Request) {
	if _, is := r.Command.(core.Batch); is && e.on.Load() {
		e.comes <- struct{}{}
		<-e.may
	}
}

func (e batchKept) Do(ctx context.Context, r core.Request) (api.Result, error) {
	e.wait(r)
	return e.Engine.Do(ctx, r)
}

func (e batchKept) DryRun(ctx context.Context, r core.Request) (api.Result, error) {
	e.wait(r)
	return e.Engine.DryRun(ctx, r)
}

// An operator sets the policy while what others apply is decided, where that can change no policy: it is theirs to be
// refused, or is only tried.
func TestWhatCannotChangeThePolicyKeepsNobodyFromIt(t *testing.T) {
	for who, token := range map[string]string{"a batch that is refused": "ada-token-0123456789abcdef", "a dry run of an operator's": "ops-token-0123456789abcdef"} {
		kept := batchKept{on: &atomic.Bool{}, comes: make(chan struct{}), may: make(chan struct{})}
		h := guarded(t, func(o *api.Options) { kept.Engine = o.Engine; o.Engine = kept })
		kept.on.Store(true)
		ended := make(chan error)
		go func() {
			_, err := h.as(token, "").Fleet.Apply(t.Context(), &musterv1.ApplyRequest{Write: &musterv1.Write{Reason: "a try", DryRun: token[0] == 'o'}, Changes: []*musterv1.Change{
				{Change: &musterv1.Change_CreateQuota{CreateQuota: &musterv1.CreateQuotaRequest{Path: "a"}}},
				{Change: &musterv1.Change_CreateQuota{CreateQuota: &musterv1.CreateQuotaRequest{Path: "b"}}},
			}})
			ended <- err
		}()
		<-kept.comes
		ctx, end := context.WithTimeout(t.Context(), 10*time.Second)
		ops := h.as("ops-token-0123456789abcdef", "")
		_, first := ops.Fleet.SetPolicy(ctx, &musterv1.SetPolicyRequest{Policy: &musterv1.Policy{}, Write: &musterv1.Write{Reason: "it is time"}})
		_, second := ops.Health.SetHealthPolicy(ctx, &musterv1.SetHealthPolicyRequest{Policy: &musterv1.HealthPolicy{}, Write: &musterv1.Write{Reason: "it is time"}})
		end()
		if first != nil || second != nil {
			t.Errorf("beside %s: the policy is set with %v, that of health with %v", who, first, second)
		}
		close(kept.may)
		if err := <-ended; (err == nil) != (token[0] == 'o') || err != nil && connect.CodeOf(err) != connect.CodePermissionDenied {
			t.Errorf("%s ends with %v", who, err)
		}
	}
}
