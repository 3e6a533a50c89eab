package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/state/text"
)

// This file says what a change would do, as --dry-run and the question before a change show it.
// Every event has a sentence in the log (answer/words), which tells what has happened. Where that
// reads wrong before it happens, it has another one in plan_fleet.go or plan_work.go.

// plan says an event that would happen, in a sentence.
func (n *names) plan(e *musterv1.Event) string {
	var f foreseen
	if json.Unmarshal([]byte(e.GetData()), &f) == nil {
		if says := fleetSentences[e.GetKind()]; says != nil {
			return says(f)
		}
		if says := jobSentences[e.GetKind()]; says != nil {
			return n.of(f.ID) + " " + says(n, f)
		}
	}
	about, says := n.event(e) // as the log tells it: every kind has a sentence there
	return cmp.Or(about, "the fleet") + " " + says
}

// gangsInPieces warns of every declared gang that no island holds whole after events: of a promise that
// stands only in pieces.
func gangsInPieces(events []*musterv1.Event) (lines []string) {
	said := map[string]bool{}
	for _, e := range slices.Backward(events) { // a record may align a partition several times, and the last one stands
		var f foreseen
		if e.GetKind() != "backing.aligned" || json.Unmarshal([]byte(e.GetData()), &f) != nil || said[f.Partition] {
			continue
		}
		said[f.Partition] = true
		for _, g := range f.Gangs {
			if g.Missing > 0 {
				lines = append(lines, fmt.Sprintf("Warning: the gang that %s was promised does not fit into one island of %s: %s lacks %s for it.", g.Quota, f.Partition, g.Island, text.Count(g.Missing, "GPU")))
			}
		}
	}
	return lines
}

// threes is a number with its digits in threes.
func threes(n int) string { return grouped(int64(n)) }
