package reason

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
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

func TestTheDocumentNamesEveryReason(t *testing.T) {
	text, err := os.ReadFile("../../../docs/why.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range Rows() {
		if !strings.Contains(string(text), "`"+string(r.Code)+"`") {
			t.Errorf("docs/why.md does not say what %s means: add a row to its table of reasons", r.Code)
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

// A code that is a reason and a refusal has one meaning in both.
func TestAReasonIsARefusalOnlyWhereItMeansTheSame(t *testing.T) {
	alike := []Code{NoSuchPartition, GangTooLarge}
	for _, r := range core.Codes() {
		if _, is := Find(string(r.Code)); is && !slices.Contains(alike, Code(r.Code)) {
			t.Errorf("%s is a reason and a refusal: give one another name, or add it to alike in this test if both mean the same", r.Code)
		}
	}
}
