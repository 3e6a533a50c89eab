package promise

import (
	"slices"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/promise/buffer"
	"github.com/muster-fleet/muster/internal/decide/promise/trial"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A kind of buffer policy that learns forecasts under its own name, in force and on trial:
// none falls back on another.
func TestEveryKindOfBufferPolicyForecastsUnderItsOwnName(t *testing.T) {
	for _, kind := range fleet.BufferKinds() {
		if learns := (fleet.Buffer{Kind: kind}).Learns(); learns != slices.Contains(buffer.Kinds(), string(kind)) {
			t.Errorf("%s learns: %v; it has a forecast: %v", kind, learns, !learns)
		}
		if !slices.Contains(trial.Kinds(), string(kind)) {
			t.Errorf("%s cannot be tried", kind)
		}
	}
	for name, make := range map[string]func(){
		"in force": func() { buffer.New("guess", buffer.Claim{}, buffer.Prior{}) },
		"on trial": func() { trial.New(trial.Policy{Kind: "guess"}, 24, 1) },
	} {
		if !panics(make) {
			t.Errorf("%s: a kind that nobody knows makes promises", name)
		}
	}
}

func panics(f func()) (so bool) {
	defer func() { so = recover() != nil }()
	f()
	return false
}

// A kind that keeps a share back allows the same in force and on trial.
func TestSharesAllowTheSameInForceAndOnTrial(t *testing.T) {
	for _, kind := range fleet.ShareKinds() {
		if !trial.KeepsShare(string(kind)) {
			t.Errorf("%s learns nothing, and on trial it is asked for a confidence", kind)
			continue
		}
		for nodes := range 400 {
			for _, share := range []fleet.Permille{0, 35, 150, 500, 1000} {
				is := trial.New(trial.Policy{Kind: string(kind), Share: share.Float()}, 24, 1)
				got, want := is.Promise(buffer.Hour{Nodes: nodes}), (fleet.Buffer{Kind: kind, Share: share}).Allows(nodes)/1000
				if got != want {
					t.Fatalf("%s %s of %d nodes: %d on trial, %d in force", kind, share.Percent(), nodes, got, want)
				}
			}
		}
	}
}
