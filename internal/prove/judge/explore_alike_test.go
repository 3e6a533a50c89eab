package judge_test

import (
	"fmt"
	"slices"
	"testing"
)

// This file looks whether states with one key really are alike, so that visiting
// one of them is enough.

// compared: of the states with keys that this divides the first that is met again
// is compared.
const compared = 16

// compare compares what may follow a state that is met again with what may follow
// the one that was visited.
func (e *explorer) compare(k key, at moment) error {
	v, is := e.first[k]
	if !is {
		return nil
	}
	delete(e.first, k) // once is enough
	return e.sameFutures(v, at)
}

func (e *explorer) sameFutures(v int32, at moment) error {
	first := e.at(v)
	was, is := futures(first), futures(at)
	if !slices.Equal(was, is) {
		return fmt.Errorf("a state met again goes on differently; it was\n%s\nwith%s\nand is\n%s\nwith%s",
			partitionText(first.s), onlyAfter(first, is), partitionText(at.s), onlyAfter(at, was))
	}
	e.alike++
	return nil
}

// futures are the keys of what may follow a moment.
func futures(at moment) []key {
	list := []key{}
	for _, l := range append(at.letters(), letter{kind: passes}) {
		next, _ := at.clone().after(l)
		list = append(list, next.key())
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// onlyAfter tells what follows a moment that is not among some states.
func onlyAfter(at moment, known []key) (text string) {
	for _, l := range append(at.letters(), letter{kind: passes}) {
		next, records := at.clone().after(l)
		if slices.Contains(known, next.key()) {
			continue
		}
		text += fmt.Sprintf("\n  %v", l)
		for _, r := range records {
			text += eventsText(r)
		}
	}
	return text
}

// TestWhatIsAlikeGoesOnAlike explores the models a few events deep with nothing
// left out and every name kept. It finds the same states, except for names, as the
// exploration that leaves out what is alike. No law breaks in one of them alone.
func TestWhatIsAlikeGoesOnAlike(t *testing.T) {
	for _, m := range models {
		depth := 3
		if m.levels == 4 {
			depth = 2
		}
		if testing.Short() {
			depth--
		}
		plain := m.model
		plain.plain = true
		all, few := newExplorer(plain), newExplorer(m.model)
		all.explore(t, depth)
		few.explore(t, depth)
		if t.Failed() {
			return
		}
		found := map[key]bool{}
		for v := range all.visits {
			at := all.at(int32(v))
			m := m.model
			k := moment{&m, at.s, at.now}.key()
			if _, known := few.seen[k]; !known && !found[k] {
				t.Errorf("%s: a state is not found where what is alike is left out:\n%s", m.name, all.tell(all.visits[v].before, all.visits[v].letter))
			}
			found[k] = true
		}
		if len(found) != len(few.seen) {
			t.Errorf("%s: %d states but for names, %d where what is alike is left out", m.name, len(found), len(few.seen))
		}
	}
}
