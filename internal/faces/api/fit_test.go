package api_test

import (
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/state/fleet"
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
		_, err = h.engine.Do(t.Context(), core.Request{Command: core.ReportFinished{ID: w.GetId()}, Actor: core.Reporter})
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

// unhurried lets forecasts take as long as they take on a machine that does other things, too.
func unhurried(o *api.Options) { o.Forecasting = time.Minute }

// One question about many places is answered as one question about each, up to a grace period. Work that has to
// leave for one of them may be gone already when the next one starts.
func TestFitForecastsEveryPlaceAsWhenDoes(t *testing.T) {
	h := crowded(t, 24, unhurried)
	gang := gang("asked", "", 4)
	gang.MaxRuntime = durationpb.New(6 * time.Hour)
	fit, err := h.Workloads.Fit(t.Context(), &musterv1.FitRequest{Patient: true, Spec: &musterv1.FitSpec{
		Namespace: gang.GetNamespace(), Pools: gang.GetPools(), MaxRuntime: gang.GetMaxRuntime(),
	}})
	must(t, err)
	waits := 0
	for _, place := range fit.GetPlaces() {
		if place.GetOutcome() != "waits" {
			continue
		}
		waits++
		if !place.GetForecast().GetKnown() {
			t.Errorf("in %s of %s: not known, %v", place.GetTarget(), place.GetPartition(), place.GetForecast().GetUnknown())
		}
		if waits%4 != 1 {
			continue // each takes a while
		}
		gang.Target, gang.Partition = place.GetTarget(), place.GetPartition()
		h.submit(gang)
		when, err := h.Workloads.When(t.Context(), &musterv1.WhenRequest{Namespace: gang.GetNamespace(), Name: "asked", Patient: true})
		must(t, err)
		_, err = h.Workloads.Cancel(t.Context(), &musterv1.CancelRequest{Namespace: gang.GetNamespace(), Name: "asked"})
		must(t, err)
		says, knows := place.GetForecast(), when.GetForecast()
		if apart := says.GetP50().AsTime().Sub(knows.GetP50().AsTime()).Abs(); apart > fleet.DefaultGrace || len(says.GetRestsOn()) == 0 || says.GetLatest() == nil {
			t.Errorf("in %s of %s: fit says %v, when says %v", place.GetTarget(), place.GetPartition(), says, knows)
		}
	}
	if waits < 4 {
		t.Fatalf("the gang waits in %d places: too few to ask about together", waits)
	}
}
