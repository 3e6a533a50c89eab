package scenario

import (
	"bytes"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// liveThrough has three states live through a story's records: two through the same decoded ones, one of them late, and one
// through its own. A state may keep what a record holds and must never change it. Else one reader's state would change
// another's, and who watches would be shown what had not happened yet.
func liveThrough(t *testing.T, log *memory.Journal) {
	t.Helper()
	const late = 5 // records
	var shared []event.Record
	var texts [][]byte
	first, second, own := fleet.NewState(), fleet.NewState(), fleet.NewState()
	err := log.Read(t.Context(), 0, func(en journal.Entry) error {
		shared, texts = append(shared, decoded(t, en.Data)), append(texts, en.Data)
		core.ApplyRecord(first, shared[len(shared)-1])
		core.ApplyRecord(own, decoded(t, en.Data))
		if behind := len(shared) - late; behind > 0 {
			core.ApplyRecord(second, shared[behind-1])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range shared[max(0, len(shared)-late):] {
		core.ApplyRecord(second, rec)
	}
	if first.Hash() != own.Hash() || second.Hash() != own.Hash() {
		t.Error("who lives through shared records comes to another state")
	}
	for i, rec := range shared {
		if is, was := encoded(t, rec), encoded(t, decoded(t, texts[i])); !bytes.Equal(is, was) {
			t.Errorf("record %d was changed:\n%s\n%s", rec.Seq, was, is)
		}
	}
}

func decoded(t *testing.T, text []byte) event.Record {
	t.Helper()
	rec, err := event.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func encoded(t *testing.T, rec event.Record) []byte {
	t.Helper()
	text, err := event.Encode(rec)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
