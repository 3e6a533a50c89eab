package frame

import "testing"

func TestARoleServesInItsScopeAlone(t *testing.T) {
	for _, c := range []struct {
		held, where string
		want        bool
	}{
		{"the fleet", "quota research/oak", true},
		{"quota research", "quota research/oak", true},
		{"quota research", "quota research", true},
		{"quota research", "quota researchers", false},
		{"quota research/oak", "quota research", false},
		{"cluster tiger", "quota research", false},
		{"cluster tiger", "", true},
		{"namespace oak", "namespace oak", true},
	} {
		if got := serves(c.held, c.where); got != c.want {
			t.Errorf("a role in %q serves in %q: %v", c.held, c.where, got)
		}
	}
}
