package frame

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Whenever pages were told of something, the next time that they are told of more is
// the same moment for all of them, and it is not far.
func TestOpenPagesShareOneBeat(t *testing.T) {
	f := newFeed()
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.Int64Range(0, int64(time.Hour))
		a, b := f.began.Add(time.Duration(in.Draw(t, "one page"))), f.began.Add(time.Duration(in.Draw(t, "another")))
		nextA, nextB := a.Add(f.untilBeat(a)), b.Add(f.untilBeat(b))
		if late := nextA.Sub(a); late <= 0 || late > beat {
			t.Fatalf("told after %s", late)
		}
		if apart := nextA.Sub(nextB); apart%beat != 0 {
			t.Fatalf("%s apart, which is no number of beats", apart)
		}
	})
}
