package frame

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Whenever pages of one reader were told of something, the next time that they are told of more is
// the same moment for all of them, and it is not far.
func TestOpenPagesOfAReaderShareOneBeat(t *testing.T) {
	f := newFeed()
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.Int64Range(0, int64(time.Hour))
		a, b := f.began.Add(time.Duration(in.Draw(t, "one page"))), f.began.Add(time.Duration(in.Draw(t, "another")))
		nextA, nextB := a.Add(f.untilBeat(a, "ada")), b.Add(f.untilBeat(b, "ada"))
		if late := nextA.Sub(a); late <= 0 || late > beat {
			t.Fatalf("told after %s", late)
		}
		if apart := nextA.Sub(nextB); apart%beat != 0 {
			t.Fatalf("%s apart, which is no number of beats", apart)
		}
	})
}

// Two hundred readers do not all ask in the same moment: in no tenth of a beat do more than a fifth
// of them.
func TestReadersAreToldOneAfterTheOther(t *testing.T) {
	const readers, parts = 200, 10
	f := newFeed()
	told := map[time.Duration]int{}
	for i := range readers {
		told[(f.untilBeat(f.began, fmt.Sprintf("reader %d", i))-1)/(beat/parts)]++
	}
	for part, n := range told {
		if n > readers/5 {
			t.Errorf("%d of %d readers are told in part %d of %d of a beat", n, readers, part, parts)
		}
	}
}
