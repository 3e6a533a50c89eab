package api

import (
	"strings"
	"testing"
	"unicode"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// What is written is shown on other people's screens: nothing in it may move their cursors.
func TestControlCharactersAreRefusedWithTheirPlace(t *testing.T) {
	for text, field := range map[string]string{
		"plain – words, ünïcödé 64 %": "", "esc\x1b[31m": "spec.pools[0].name", "two\nlines": "spec.pools[0].name", "c1\u009b": "spec.pools[0].name",
	} {
		m := &musterv1.SubmitRequest{Spec: &musterv1.WorkloadSpec{Pools: []*musterv1.Pool{{Name: text}}}}
		if _, seen, err := lookedThrough(m.ProtoReflect()); seen != (field != "") || err != nil {
			t.Errorf("%q: a control character is seen: %v (%v)", text, seen, err)
		}
		got, bad := control(m.ProtoReflect())
		if got != field || bad != (field != "") {
			t.Errorf("%q: %q is named, not %q", text, got, field)
		}
	}
	long := &musterv1.SubmitRequest{Write: &musterv1.Write{Reason: "one\nand\ttwo"}}
	if field, bad := control(long.ProtoReflect()); bad {
		t.Errorf("a reason of two lines is refused in %q", field)
	}
	if _, bad := control((&musterv1.SubmitRequest{Write: &musterv1.Write{Reason: "\x1b]0;title\a"}}).ProtoReflect()); !bad {
		t.Error("an escape in a reason is taken")
	}
}

// What a walk over a message sees of control characters is what unicode says, byte by byte.
func TestAControlCharacterIsSeen(t *testing.T) {
	for r := range rune(0x3000) {
		for _, text := range []string{string(r), "a" + string(r) + "ü", "\xe2" + string(r)} {
			if got, want := hasControl(text), strings.ContainsFunc(text, unicode.IsControl); got != want {
				t.Errorf("%q has a control character: %v, want %v", text, got, want)
			}
		}
	}
	if hasControl("") || hasControl("\xc2") {
		t.Error("a text without any has a control character")
	}
}
