package cli

import (
	"testing"

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
