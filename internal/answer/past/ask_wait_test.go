package past_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/past"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// The reasons of all that waits are asked again, a few beside each record, each of them
// within some minutes of the full hour however quiet it is. A book that is put away in the
// middle of that goes on as if it had not been.
func TestReasonsAreAskedAnewInPieces(t *testing.T) {
	book, other := past.New(), past.New()
	w := newWorld(t, func(r event.Record, s *fleet.State) {
		book.Add(r)
		other.Add(r)
		data, err := json.Marshal(other.Notes)
		if err != nil {
			t.Fatal(err)
		}
		fresh := past.New()
		if err := json.Unmarshal(data, &fresh.Notes); err != nil {
			t.Fatal(err)
		}
		other = past.Resume(fresh.Notes, s.Clone())
	})
	submit := func(name string) {
		w.must(core.Submit{Spec: fleet.Spec{
			Name: name, Namespace: "many", User: "u", Target: "r/y", Partition: "tiger/h200", Priority: fleet.Mid, Grace: fleet.DefaultGrace,
			Pools: []fleet.Pool{{Name: "p", GPUs: 8, Min: 5, Max: 5, Reach: fleet.ReachIsland}},
		}})
	}
	for k := range 60 {
		submit(fmt.Sprintf("w%02d", k))
	}
	w.now = w.now.Add(time.Hour + time.Second)
	submit("first-of-the-hour")
	left := len(book.Again)
	if left == 0 || left >= len(book.Waits) {
		t.Fatalf("right after the full hour %d of %d are still to be asked", left, len(book.Waits))
	}
	w.now = w.now.Add(15 * time.Minute)
	submit("a-quarter-past")
	if len(book.Again) != 0 {
		t.Errorf("a quarter of an hour later %d are still to be asked", len(book.Again))
	}
	a, _ := json.Marshal(book.Notes)
	b, _ := json.Marshal(other.Notes)
	if string(a) != string(b) {
		t.Errorf("put away and taken up again:\n%s\nheard at one go:\n%s", b, a)
	}
}
