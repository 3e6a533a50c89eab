package cli

import (
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// A forecast that ran out of time is not one that cannot be made.
func TestPlacesWhoseForecastRanOutOfTimeAreCounted(t *testing.T) {
	place := func(known bool, kinds ...string) *musterv1.Place {
		f := &musterv1.Forecast{Known: known}
		for _, kind := range kinds {
			f.Unknown = append(f.Unknown, &musterv1.Ground{Kind: kind})
		}
		return &musterv1.Place{Forecast: f}
	}
	places := []*musterv1.Place{place(true), place(false, "run time"), place(false, "run time", tooFarAhead), place(false, tooFarAhead), {Outcome: "starts"}}
	if n := tooFar(places); n != 2 {
		t.Errorf("%d places are said to have run out of time, want 2", n)
	}
}

// Work that the caller may not read has to leave as any other does.
func TestHiddenWorkThatMustLeaveIsSaid(t *testing.T) {
	st := &musterv1.Start{At: timestamppb.New(time.Unix(60, 0)), EvictsOthers: 2, OutranksOthers: 1}
	if got := leavers(st, time.Unix(0, 0)); got != "2 workloads of other teams" {
		t.Errorf("fit says that %q must leave", got)
	}
	if got := evicts(st); got != ", and 2 workloads of other teams must leave, and another team's work must wait for it" {
		t.Errorf("a start says %q", got)
	}
}
