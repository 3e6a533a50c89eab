package words_test

import (
	"slices"
	"testing"

	"github.com/muster-fleet/muster/internal/answer/words"
)

func TestRunsOfTheSameSentenceAreToldOnce(t *testing.T) {
	got := words.Merge([]string{"a", "a", "a", "b", "a", "c", "c"})
	if want := []string{"a (3 times)", "b", "a", "c (2 times)"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := words.Merge(nil); len(got) != 0 {
		t.Errorf("nothing is told as %q", got)
	}
}
