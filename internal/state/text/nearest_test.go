package text_test

import (
	"testing"

	"github.com/muster-fleet/muster/internal/state/text"
)

func TestTheNearestWordIsTheOneWithTheFewestTypingErrors(t *testing.T) {
	known := []string{"research/evals", "research/posttraining", "safety/interp"}
	for word, want := range map[string]string{
		"research/eval": "research/evals", "research/evlas": "research/evals", "Safety/interp": "safety/interp", "product/search": "", "": "",
	} {
		if got := text.Nearest(word, known); got != want {
			t.Errorf("%q is taken for %q, want %q", word, got, want)
		}
	}
	if got := text.Meant("research/eval", known); got != `; did you mean "research/evals"?` {
		t.Errorf("said %q", got)
	}
}
