package api_test

import (
	"sync/atomic"
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// studied counts how often a reader was alone with the state.
type studied struct {
	api.Engine
	times atomic.Int32
}

func (s *studied) Study(fn func(*fleet.State)) {
	s.times.Add(1)
	s.Engine.Study(fn)
}

// Who asks for work with its reasons is alone with the state for those that are found, and keeps no other from looking
// while they are looked for.
func TestAListKeepsOthersFromLookingOnlyForItsReasons(t *testing.T) {
	var engine studied
	h := guarded(t, func(o *api.Options) { engine.Engine, o.Engine = o.Engine, &engine })
	_, err := h.as(adaToken, "").Workloads.Submit(t.Context(), in("ada", "one", "mid"))
	must(t, err)
	for _, c := range []struct {
		who, token string
		found      int
	}{{"bob, who may read none of it", bobToken, 0}, {"ada", adaToken, 1}} {
		before := engine.times.Load()
		l, err := h.as(c.token, "").Workloads.ListWorkloads(t.Context(), &musterv1.ListWorkloadsRequest{Reasons: true, Limit: 100})
		must(t, err)
		equal(t, c.who+" finds", len(l.GetWorkloads()), c.found)
		equal(t, c.who+" is alone with the state, times", int(engine.times.Load()-before), c.found)
	}
}
