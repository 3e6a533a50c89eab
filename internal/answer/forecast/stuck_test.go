package forecast

import (
	"testing"

	"github.com/muster-fleet/muster/internal/decide/maintenance"
)

// Each code for which visits wait is said in words.
func TestEachWaitIsSaidInWords(t *testing.T) {
	for _, code := range maintenance.Codes() {
		if stuckWhile[code] == "" {
			t.Errorf("%s has no words", code)
		}
	}
}
