package reason

import (
	"slices"
	"testing"
)

func TestEveryReasonHasOneRowWithAClassAndAPart(t *testing.T) {
	seen := map[Code]bool{}
	for _, r := range Rows() {
		if seen[r.Code] {
			t.Errorf("%s stands there twice", r.Code)
		}
		seen[r.Code] = true
		if !slices.Contains([]Class{Wait, Change, Ask, Fault}, r.Class) || !slices.Contains(Parts(), r.Part) {
			t.Errorf("%s: class %q, part %q", r.Code, r.Class, r.Part)
		}
	}
}

func TestACodeWithoutARowIsAMistakeOfOurs(t *testing.T) {
	if _, ok := Find("NoSuchReason"); ok {
		t.Error("it is found")
	}
	defer func() {
		if recover() == nil {
			t.Error("it has a class")
		}
	}()
	Of("NoSuchReason")
}
