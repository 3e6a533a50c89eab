package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/text"
)

// This file says what a change would do, as --dry-run and the question before a change show it.
// Every event has a sentence in the log (answer/words), which tells what has happened. Where that
// reads wrong before it happens, it has another one in plan_fleet.go or plan_work.go.

// plan says an event that would happen, in a sentence.
func (n *names) plan(e *musterv1.Event) string { return n.line(e).String() }

// line is plan with what the sentence is about, where it is about a workload.
func (n *names) line(e *musterv1.Event) words.Line {
	var f foreseen
	if json.Unmarshal([]byte(e.GetData()), &f) == nil {
		if says := fleetSentences[e.GetKind()]; says != nil {
			return words.Line{Says: says(f)}
		}
		if says := jobSentences[e.GetKind()]; says != nil {
			return words.Line{About: n.of(f.ID), Says: says(n, f)}
		}
	}
	told := n.told(e) // as the log tells it: every kind has a sentence there, and a whole one where it is about no thing
	if told.Thing == words.Nothing {
		return words.Line{Says: told.Says}
	}
	return words.Line{Says: cmp.Or(told.About, "the fleet") + " " + told.Says}
}

// plans says events that would happen: what befalls several workloads alike, once.
func (n *names) plans(events []*musterv1.Event) []string {
	var lines []words.Line
	for _, e := range words.Sums(events, withData) {
		lines = append(lines, n.line(e))
	}
	return words.Merge(lines)
}

// withData is an event with other data.
func withData(e *musterv1.Event, data string) *musterv1.Event {
	return &musterv1.Event{Kind: e.GetKind(), Data: data}
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
