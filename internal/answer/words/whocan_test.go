package words_test

import (
	"testing"

	"github.com/muster-fleet/muster/internal/answer/words"
)

// A full tree beside a gang that no island holds passes with time, which starts nothing.
func TestWhatPassesBesideWhatStaysIsNoHelp(t *testing.T) {
	stuck := words.Stuck("change")
	for _, c := range []struct {
		class, code string
		stuck       bool
		want        string
	}{
		{"change", "GangTooLarge", false, "waiting does not help; you can change it"},
		{"wait", "TreeFull", stuck, "it passes with time, which alone does not start the work"},
		{"wait", "TreeFull", words.Stuck("wait"), "it may start once other work has ended"},
		{"wait", "Resting", false, "it starts when it has rested"},
		{"fault", "ClusterSilent", stuck, "something is broken"},
	} {
		if got := words.BlockerMeans(c.class, c.code, c.stuck); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.class, c.code, got, c.want)
		}
	}
}
