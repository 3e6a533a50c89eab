package words_test

import (
	"testing"

	"github.com/muster-fleet/muster/internal/answer/words"
)

// Work that a reader may not read is counted beside what is named, and what is cut short with it.
func TestWorkOfOthersIsCounted(t *testing.T) {
	for want, c := range map[string]struct {
		names  []string
		others int32
	}{
		"":                               {},
		"a, b":                           {[]string{"a", "b"}, 0},
		"a, b and 2 more":                {[]string{"a", "b", "c", "d"}, 0},
		"a and 1 other":                  {[]string{"a"}, 1},
		"a, b and 5 others":              {[]string{"a", "b", "c", "d"}, 3},
		"another team's work":            {nil, 1},
		"1,200 workloads of other teams": {nil, 1200},
	} {
		if got := words.Work(c.names, c.others, 2); got != want {
			t.Errorf("%v and %d others: %q, want %q", c.names, c.others, got, want)
		}
	}
}
