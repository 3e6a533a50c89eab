package fleet_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Each number of a buffer policy is a setting of some kind, under the name that the log has
// for it. Fleet files and messages read and write settings: what is none would be lost.
func TestEveryNumberOfABufferPolicyIsASetting(t *testing.T) {
	settings := map[string]bool{}
	for _, kind := range fleet.BufferKinds() {
		for _, s := range (&fleet.Buffer{Kind: kind}).Settings() {
			settings[s.Name] = true
		}
	}
	for f := range reflect.TypeFor[fleet.Buffer]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Type == reflect.TypeFor[fleet.Permille]() && !settings[name] {
			t.Errorf("%s (%q) is no setting of any kind; Buffer.Settings lists them", f.Name, name)
		}
	}
}

func TestABufferPolicyIsToldInShortAndInFull(t *testing.T) {
	for _, c := range []struct {
		b           fleet.Buffer
		short, full string
	}{
		{fleet.DefaultBuffer(fleet.Fixed), "fixed 15 %", "fixed 15 %"},
		{fleet.Buffer{Share: 125}, "fixed 12.5 %", "fixed 12.5 %"},
		{fleet.DefaultBuffer(fleet.Binomial), "binomial 99 %", "binomial 99 % (floor 2 %, ceiling 30 %)"},
		{fleet.Buffer{Kind: "newer", Confidence: 999, Ceiling: 1000}, "newer 99.9 %", "newer 99.9 % (floor 0 %, ceiling 100 %)"},
	} {
		if got := fmt.Sprint(c.b); got != c.short {
			t.Errorf("in short it is %q, want %q", got, c.short)
		}
		if got := c.b.InFull(); got != c.full {
			t.Errorf("in full it is %q, want %q", got, c.full)
		}
	}
}

// What everyone starts with is a policy that may be set, of every kind.
func TestEveryKindOfBufferPolicyHasDefaults(t *testing.T) {
	for _, kind := range fleet.BufferKinds() {
		if err := fleet.DefaultBuffer(kind).Check(); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
