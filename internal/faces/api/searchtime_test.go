package api_test

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// tooBrief is too short a time to find anything.
var tooBrief = durationpb.New(time.Nanosecond)

// booked is a house in which oak/second waits for oak/first, which runs for two hours at most.
func booked(t *testing.T) *house {
	h := furnished(t, unhurried)
	first := gang("first", "research/oak", 4)
	first.MaxRuntime = durationpb.New(2 * time.Hour)
	h.submit(first)
	h.submit(gang("second", "research/oak", 2))
	return h
}

// A search that has too little time says how far it came and how long to search next; that is then known.
func TestWhenSaysHowToSearchLonger(t *testing.T) {
	h := booked(t)
	when, err := h.Workloads.When(t.Context(), &musterv1.WhenRequest{Namespace: "oak", Name: "second", Search: tooBrief})
	must(t, err)
	equal(t, "known", when.GetForecast().GetKnown(), false)
	equal(t, "futures played", when.GetForecast().GetSearch().GetPlayed(), 0)
	equal(t, "and to play", when.GetForecast().GetSearch().GetOf() > 0, true)
	says := when.GetForecast().GetUnknown()[0].GetText()
	if !strings.HasPrefix(says, "the search stopped after ") || !strings.Contains(says, "it had played 0 of ") {
		t.Errorf("it says %q", says)
	}
	equal(t, "next", when.GetLonger().AsDuration(), 10*time.Second)

	when, err = h.Workloads.When(t.Context(), &musterv1.WhenRequest{Namespace: "oak", Name: "second", Search: when.GetLonger()})
	must(t, err)
	equal(t, "known", when.GetForecast().GetKnown(), true)
	equal(t, "start", when.GetForecast().GetP50().AsTime(), noon.Add(2*time.Hour))
	if when.GetLonger() != nil || when.GetForecast().GetSearch() != nil {
		t.Errorf("what is known proposes to search on: %v", when)
	}
}

// Fit and why stop in the same way, and say the same.
func TestFitAndWhySayHowToSearchLonger(t *testing.T) {
	h := booked(t)
	spec := &musterv1.FitSpec{Namespace: "oak", Pools: gang("", "", 4).GetPools(), Target: "research/oak"}
	fit, err := h.Workloads.Fit(t.Context(), &musterv1.FitRequest{Spec: spec, Search: tooBrief})
	must(t, err)
	equal(t, "places were left out", fit.GetMissed(), true)
	equal(t, "next", fit.GetLonger().AsDuration(), 10*time.Second)
	fit, err = h.Workloads.Fit(t.Context(), &musterv1.FitRequest{Spec: spec, Search: fit.GetLonger()})
	must(t, err)
	equal(t, "places", len(fit.GetPlaces()), 1)
	equal(t, "next", fit.GetLonger() == nil, true)

	why, err := h.Workloads.Why(t.Context(), &musterv1.WhyRequest{Namespace: "oak", Name: "second", Help: true, Search: tooBrief})
	must(t, err)
	equal(t, "changes were left out", why.GetMissed(), true)
	equal(t, "next", why.GetLonger().AsDuration(), 10*time.Second)
	why, err = h.Workloads.Why(t.Context(), &musterv1.WhyRequest{Namespace: "oak", Name: "second", Help: true, Search: why.GetLonger()})
	must(t, err)
	equal(t, "changes were left out", why.GetMissed(), false)
	equal(t, "next", why.GetLonger() == nil, true)
}

// A caller gets no more of the server than the others can wait.
func TestNobodySearchesForEver(t *testing.T) {
	h, long := booked(t), durationpb.New(31*time.Second)
	_, when := h.Workloads.When(t.Context(), &musterv1.WhenRequest{Namespace: "oak", Name: "second", Search: long})
	_, why := h.Workloads.Why(t.Context(), &musterv1.WhyRequest{Namespace: "oak", Name: "second", Search: long})
	_, fit := h.Workloads.Fit(t.Context(), &musterv1.FitRequest{Spec: &musterv1.FitSpec{Namespace: "oak", Pools: gang("", "", 1).GetPools()}, Search: long})
	for _, err := range []error{when, why, fit} {
		if err == nil || !strings.Contains(err.Error(), "is 31s; 30s is the most") {
			t.Errorf("31 s: %v", err)
		}
	}
}
