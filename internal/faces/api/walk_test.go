package api

import (
	"context"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// A list with too many entries is named with its path, also where the same walk was used before.
func TestAListThatIsTooLongIsNamed(t *testing.T) {
	for range 2 {
		m := &musterv1.SubmitBatchRequest{Specs: []*musterv1.WorkloadSpec{{}, {Pools: make([]*musterv1.Pool, 100_000)}}}
		if _, _, err := lookedThrough(m.ProtoReflect()); err == nil || !strings.Contains(err.Error(), "specs.pools") {
			t.Errorf("the mistake is %v", err)
		}
		m.Specs[1].Pools = []*musterv1.Pool{{}, {}}
		if n, _, err := lookedThrough(m.ProtoReflect()); n != 4 || err != nil {
			t.Errorf("%d messages are in it, want 4 (%v)", n, err)
		}
	}
}

// Interceptors that stand as one are met in their order.
func TestInterceptorsTogetherKeepTheirOrder(t *testing.T) {
	var met []string
	one := func(name string) connect.Interceptor {
		return connect.UnaryInterceptorFunc(func(next connect.UnaryFunc) connect.UnaryFunc {
			return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
				met = append(met, name)
				return next(ctx, req)
			}
		})
	}
	last := func(context.Context, connect.AnyRequest) (connect.AnyResponse, error) { return nil, nil }
	_, _ = together{one("first"), one("second"), one("third")}.WrapUnary(last)(t.Context(), connect.NewRequest(&musterv1.SubmitRequest{}))
	if want := []string{"first", "second", "third"}; !slices.Equal(met, want) {
		t.Errorf("they are met as %v, want %v", met, want)
	}
}
