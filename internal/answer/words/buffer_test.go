package words_test

import (
	"testing"

	"github.com/muster-fleet/muster/internal/answer/words"
)

// People choose a kind of policy by what it keeps back: none is offered without that.
func TestEveryKindOfBufferPolicySaysWhatItKeepsBack(t *testing.T) {
	for _, kind := range words.BufferKinds() {
		if kind.Means == "" {
			t.Errorf("%s has no words in bufferMeans", kind.Name)
		}
		if kind.Learns != words.BufferLearns(kind.Name) {
			t.Errorf("%s learns: %v, and is told as if not", kind.Name, kind.Learns)
		}
	}
}
