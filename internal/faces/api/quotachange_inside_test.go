package api

import (
	"testing"

	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/event"
)

// What is told of a quota stands in its history, too: a new kind of event would be missing there without a word.
func TestWhatIsToldOfAQuotaStandsInItsHistory(t *testing.T) {
	examples, told := examplesOfEvents(t), 0
	for _, kind := range event.Kinds() {
		if words.Tell(kind, "{}", func(uint64) string { return "" }).Thing != words.Quota {
			continue
		}
		told++
		if lines := newChronicle().read(examples[kind]); len(lines) == 0 || lines[0].GetText() == "" {
			t.Errorf("%s: the history of its quota has no line for it (chronicle.read)", kind)
		}
	}
	if told < 8 {
		t.Errorf("only %d kinds are told of a quota", told)
	}
}
