package api_test

import (
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
)

// Runs that ended early teach both questions the same: what fit says before a submission,
// when says after it.
func TestFitForecastsAsWhenDoes(t *testing.T) {
	h := furnished(t)
	hour := func(name string, nodes int32) *musterv1.WorkloadSpec {
		spec := gang(name, "research/oak", nodes)
		spec.MaxRuntime = durationpb.New(time.Hour)
		return spec
	}
	for range 12 { // each runs for half of what it declares
		w, err := h.Workloads.Submit(t.Context(), &musterv1.SubmitRequest{Spec: hour("early", 1)})
		must(t, err)
		h.later(30 * time.Minute)
		_, err = h.engine.Do(t.Context(), core.Request{Command: core.ReportFinished{ID: w.GetId()}, Actor: core.Driver})
		must(t, err)
	}
	_, err := h.Workloads.Submit(t.Context(), &musterv1.SubmitRequest{Spec: hour("ahead", 4)})
	must(t, err)

	spec := hour("next", 4)
	fit, err := h.Workloads.Fit(t.Context(), &musterv1.FitRequest{Spec: &musterv1.FitSpec{
		Namespace: spec.GetNamespace(), Target: spec.GetTarget(), Partition: "tiger/h200", Pools: spec.GetPools(), MaxRuntime: spec.GetMaxRuntime(),
	}})
	must(t, err)
	_, err = h.Workloads.Submit(t.Context(), &musterv1.SubmitRequest{Spec: spec})
	must(t, err)
	when, err := h.Workloads.When(t.Context(), &musterv1.WhenRequest{Namespace: spec.GetNamespace(), Name: "next"})
	must(t, err)
	says, knows := fit.GetPlaces()[0].GetForecast(), when.GetForecast()
	if !knows.GetKnown() || !says.GetKnown() || !says.GetP50().AsTime().Equal(knows.GetP50().AsTime()) {
		t.Errorf("fit says %v, when says %v", says, knows)
	}
}
