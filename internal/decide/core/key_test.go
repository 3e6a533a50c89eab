package core_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A command whose key says that it was made before all keys that are known is refused: it
// may have been done. Before the first key is forgotten, none is too old.
func TestAKeyThatMayHaveBeenForgottenIsRefused(t *testing.T) {
	s := fleet.NewState()
	begin := fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	keyAt := func(at fleet.Instant) string { return fmt.Sprintf("at-%08x-xyz", at.Time().Unix()) }
	old := core.Request{Command: core.CreateQuota{Path: "oak"}, Actor: core.System, Key: keyAt(begin), Fingerprint: 1}
	if _, no := core.Step(s, old, begin); no != nil {
		t.Fatal(no)
	}
	if out, no := core.Step(s, old, begin.Add(time.Hour)); no != nil || out.Repeat != 1 {
		t.Fatalf("a key that is known gives %+v, %v", out, no)
	}
	if _, no := core.Step(s, core.Request{Command: core.DeleteQuota{Path: "oak"}, Actor: core.System}, begin.Add(time.Hour)); no != nil {
		t.Fatal(no)
	}
	for i := range fleet.KeyMemory {
		s.Remember(fleet.KeyUse{Key: fmt.Sprint("k", i), Seq: s.Seq, At: begin.Add(2 * time.Hour)})
	}
	before := s.Hash()
	if _, no := core.Step(s, old, begin.Add(3*time.Hour)); no == nil || no.Code != core.KeyExpired || s.Hash() != before {
		t.Errorf("a key that was forgotten gives %v; want KeyExpired, and nothing done", no)
	}
	for _, key := range []string{keyAt(begin.Add(150 * time.Minute)), "at-of-mine", "my-own"} {
		r := core.Request{Command: core.CreateQuota{Path: "q" + key[len(key)-3:]}, Actor: core.System, Key: key}
		if _, no := core.Step(s, r, begin.Add(3*time.Hour)); no != nil {
			t.Errorf("key %s gives %v", key, no)
		}
	}
}
