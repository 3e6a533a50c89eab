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
	got := words.Steps([]step{
		grant, {"holds.changed", `{"id":4,"holds":3}`}, other, {"holds.changed", `{"id":4,"holds":1}`},
		{"protection.cut", `{"id":4,"gpus":8}`}, {"replicas.evicted", `{"id":6}`},
	})
	want := []step{grant, other, {"holds.changed", `{"id":4,"holds":1}`}}
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("step %d is %v, want %v", i, got[i], want[i])
		}
	}
}
