package node

import "testing"

// TestAStateIsSaidOnce: drivers write the state behind what was seen; the sentence has it already.
func TestAStateIsSaidOnce(t *testing.T) {
	for _, c := range []struct{ signal, state, want string }{
		{"stress test failure: validating", "validating", ": stress test failure"},
		{"XID 79", "quarantined", ": XID 79"},
		{"", "healthy", ""},
	} {
		if got := becauseText(c.signal, c.state); got != c.want {
			t.Errorf("%q, %s: %q, want %q", c.signal, c.state, got, c.want)
		}
	}
}

// TestALeadBeginsWithTheState: a state that is a time, and not a quality, has "in" before it.
func TestALeadBeginsWithTheState(t *testing.T) {
	for state, want := range map[string]string{"maintenance": "In maintenance", "probation": "In probation", "healthy": "Healthy", "quarantined": "Quarantined"} {
		if got := stateText(state); got != want {
			t.Errorf("%s: %q, want %q", state, got, want)
		}
	}
}
