package picture

import "testing"

// Announced maintenance has the name of its state already: the waterfall does not say it twice.
func TestAStateIsNamedOnceInTheWaterfall(t *testing.T) {
	for _, c := range [][3]string{
		{"maintenance", "maintenance host-update", "maintenance host-update"},
		{"maintenance", "rollout driver-580", "maintenance: rollout driver-580"},
		{"quarantined", "", "quarantined"},
		{"quarantined", "XID 79", "quarantined: XID 79"},
	} {
		if got := downName(c[0], c[1]); got != c[2] {
			t.Errorf("%q, %q: %q, want %q", c[0], c[1], got, c[2])
		}
	}
}
