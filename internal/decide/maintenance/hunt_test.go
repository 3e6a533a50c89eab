package maintenance

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A search tries halves first. Where none of them fails by itself it tries parts half as large, and then what is left without
// each of them; and so on, until what fails together is named. So one update of many takes few canaries.
func TestASearchTriesHalvesFirst(t *testing.T) {
	all := strings.Fields("a b c d e f g h")
	for _, c := range []struct {
		culprit string
		rounds  string // how many parts each round tries; −: of what is left without them
	}{
		{"a", "2 2 2"},
		{"h", "2 2 2"},
		{"a b", "2 2 2"},
		{"a h", "2 4 −4 3 −3 2 4 −4 3 −3 2"},
		{"a b c d e f g h", "2 4 −4 8 −8"},
	} {
		fails := func(part []string) bool {
			return !slices.ContainsFunc(strings.Fields(c.culprit), func(u string) bool { return !slices.Contains(part, u) })
		}
		h, culprit, rounds := newHunt(all), []string(nil), []string(nil)
		for h != nil {
			sign := ""
			if h.Others {
				sign = "−"
			}
			rounds = append(rounds, fmt.Sprint(sign, len(h.Parts)))
			h, culprit = narrowed(h, fails)
		}
		if got := strings.Join(rounds, " "); got != c.rounds || strings.Join(culprit, " ") != c.culprit {
			t.Errorf("%s fails: named %v after rounds of %s parts, want %s", c.culprit, culprit, got, c.rounds)
		}
	}
}
