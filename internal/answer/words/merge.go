package words

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/muster-fleet/muster/internal/state/event"
)

// Line is a sentence about something. One without About is about nothing that others share.
type Line struct{ About, Says string }

func (l Line) String() string {
	if l.About == "" {
		return l.Says
	}
	return l.About + " " + l.Says
}

// mostAlike is how many names a sentence about several things has, before it counts the others.
const mostAlike = 5

// Merge tells what is said of several things once, with their names, where it is said first: "each of oak/a, oak/b
// grows". Runs of the same sentence are told once, with how often: "the fleet grows (3 times)".
func Merge(lines []Line) (merged []string) {
	about := map[string][]string{}
	for _, l := range lines {
		if !slices.Contains(about[l.Says], l.About) {
			about[l.Says] = append(about[l.Says], l.About)
		}
	}
	told := map[string]bool{}
	for i := 0; i < len(lines); {
		n, names := runAt(lines[i:]), about[lines[i].Says]
		switch one := lines[i].Says; {
		case len(names) > 1 && !slices.Contains(names, ""):
			if !told[one] {
				merged = append(merged, "each of "+Few(names, mostAlike)+" "+one)
			}
			told[one] = true
		case n > 1:
			merged = append(merged, fmt.Sprintf("%v (%d times)", lines[i], n))
		default:
			merged = append(merged, lines[i].String())
		}
		i += n
	}
	return merged
}

// runAt is how often the first line is said in a row.
func runAt(lines []Line) int {
	n := 1
	for n < len(lines) && lines[n] == lines[0] {
		n++
	}
	return n
}

// Sums adds up the replicas that a workload would hold otherwise: one event for each workload and way to hold
// them, where the first of them stands. With makes an event of other data.
func Sums[S Step](events []S, with func(e S, data string) S) (sums []S) {
	at := map[[2]uint64]int{}
	for _, e := range events {
		var h event.HoldsChanged
		if e.GetKind() != h.Kind() || json.Unmarshal([]byte(e.GetData()), &h) != nil {
			sums = append(sums, e)
			continue
		}
		key := [2]uint64{h.ID, uint64(h.Holds)}
		if i, is := at[key]; is {
			sums[i] = with(sums[i], joined(sums[i].GetData(), h))
			continue
		}
		at[key] = len(sums)
		sums = append(sums, e)
	}
	return sums
}

// joined is the data of an event with the replicas of another one.
func joined(data string, more event.HoldsChanged) string {
	var h event.HoldsChanged
	_ = json.Unmarshal([]byte(data), &h) // it was read before
	h.To += more.To - more.From
	sum, _ := json.Marshal(h)
	return string(sum)
}
