package words_test

import (
	"testing"

	"github.com/muster-fleet/muster/internal/answer/words"
)

type step struct{ kind, data string }

func (s step) GetKind() string { return s.kind }
func (s step) GetData() string { return s.data }

// TestStepsLeavesOutWhatNotesSum: cut protection and evictions are told once, in the notes; work
// that is unprotected by anything else is still told.
func TestStepsLeavesOutWhatNotesSum(t *testing.T) {
	grant, other := step{"grant.set", `{"quota":"oak"}`}, step{"holds.changed", `{"id":5,"holds":3}`}
	lost, won := step{"holds.changed", `{"id":4,"holds":3}`}, step{"holds.changed", `{"id":4,"holds":1}`}
	cut, evicted := step{"protection.cut", `{"id":4,"gpus":8}`}, step{"replicas.evicted", `{"id":6}`}
	got := words.Steps([]step{grant, lost, other, won, cut, evicted})
	want := []step{grant, other, won}
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("step %d is %v, want %v", i, got[i], want[i])
		}
	}
}
