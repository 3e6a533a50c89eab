package chaos_test

import (
	"flag"
	"testing"

	"pgregory.net/rapid"
)

// The same stories everywhere, unless -rapid.seed asks for others.
func init() {
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}

// drawn lets rapid make the choices, so that it can make a failing story small
// by its own means too.
type drawn struct{ *rapid.T }

func (d drawn) upTo(n int) int { return rapid.IntRange(0, n-1).Draw(d.T, "choice") }

// TestRapidFleets is TestRandomFleets with shorter stories, told by rapid.
func TestRapidFleets(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(everything)
		a := &author{chooser: drawn{t}, w: w}
		a.begin()
		for range rapid.IntRange(20, 80).Draw(t, "lines") {
			if f := w.play(a.next()); f != nil {
				t.Fatalf("%v%s", f, recordsText(f.told))
			}
		}
	})
}
