package promise

import (
	"slices"
	"testing"

	"github.com/muster-fleet/muster/internal/faces/draw"
)

// The points of a kind without a look are not drawn at all.
func TestEveryPolicyThatIsTriedIsDrawn(t *testing.T) {
	for _, tried := range triedKinds {
		if !slices.Contains(draw.TradeKinds(), tried.kind) {
			t.Errorf("%s has no look in tradeLooks (internal/faces/draw/frontier.go)", tried.kind)
		}
	}
}
