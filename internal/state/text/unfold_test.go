package text_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/state/text"
)

func TestRangesOfNodes(t *testing.T) {
	for name, want := range map[string]string{
		"a-i1-008..011":      "a-i1-008 a-i1-009 a-i1-010 a-i1-011",
		"a-i1-008..a-i1-009": "a-i1-008 a-i1-009", // with two full names
		"a-i1-008..008":      "a-i1-008",
		"1..3":               "1 2 3",
		"b":                  "b",
		"b-7":                "b-7",
		"b-1..":              "b-1..",
	} {
		names, err := text.Unfolded(name, 100)
		if got := strings.Join(names, " "); err != nil || got != want {
			t.Errorf("%s is %s (%v), want %s", name, got, err, want)
		}
	}
	for names, want := range map[string]string{
		"a-i1-008 a-i1-009 a-i1-010 a-i1-011 b": "a-i1-008..011 b",
		"a1 a3 b4 b5":                           "a1 a3 b4..5",
	} {
		if got := strings.Join(text.Folded(strings.Fields(names)), " "); got != want {
			t.Errorf("%s folded: %s, want %s", names, got, want)
		}
	}
}

func TestWhatIsNoRangeIsTold(t *testing.T) {
	const none = "is no range of nodes; write it as in tiger-h200-i1-001..008"
	for name, says := range map[string]string{
		"a-3..1":                              `"a-3..1" goes from the last to the first; write a-1..3`,
		"a-010..a-001":                        `"a-010..a-001" goes from the last to the first; write a-001..010`,
		"a-01..b-02":                          none,
		"b-02..a-01":                          none,
		"a-01..3":                             none,
		"a-1..2..3":                           none,
		"a-0000..0100":                        none, // one more than the most
		"a-1..9999999":                        none,
		"a-" + big + ".." + big:               none, // more than a number holds
		strings.Repeat("long-", 40) + "01..2": "…\" " + none,
	} {
		if names, err := text.Unfolded(name, 100); names != nil || err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %q, %v, want %s", name, names, err, says)
		}
	}
	if names, err := text.Unfolded("a-0000..0099", 100); len(names) != 100 || err != nil {
		t.Errorf("the most that may be: %d names, %v", len(names), err)
	}
}

const big = "99999999999999999999"

// A range is never more names than the most, and what is folded again is the same range.
func FuzzUnfolded(f *testing.F) {
	for _, seed := range []string{"tiger-h200-i1-001..008", "a-1..a-3", "a-9..10", "a-3..1", "..", "1..2..3", "a", big + ".." + big, "a\n1..2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		names, err := text.Unfolded(name, 100)
		if (err == nil) == (len(names) == 0) || len(names) > 100 {
			t.Fatalf("%q: %d names, %v", name, len(names), err)
		}
		var again []string
		for _, folded := range text.Folded(names) {
			more, err := text.Unfolded(folded, 100)
			if err != nil {
				t.Fatalf("%q folded is %q: %v", name, folded, err)
			}
			again = append(again, more...)
		}
		if err == nil && len(names) > 1 && !slices.Equal(again, names) {
			t.Fatalf("%q: %q, and folded and read again %q", name, names, again)
		}
	})
}
