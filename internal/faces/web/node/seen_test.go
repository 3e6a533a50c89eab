package node

import "testing"

// TestAStateIsSaidOnce: drivers write the state behind what was seen; the sentence has it already.
func TestAStateIsSaidOnce(t *testing.T) {
	for _, c := range []struct{ signal, state, want string }{
		{"stress test failure: validating", "validating", "; signal: stress test failure"},
		{"XID 79", "quarantined", "; signal: XID 79"},
		{"", "healthy", ""},
	} {
		if got := becauseText(c.signal, c.state); got != c.want {
			t.Errorf("%q, %s: %q, want %q", c.signal, c.state, got, c.want)
		}
	}
}
