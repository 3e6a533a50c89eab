package wire

import (
	"fmt"
	"strings"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// CutKey begins the keys of warnings about cuts of protection. The partition and the quota follow.
const CutKey = "cut "

// mostCut is how many workloads a warning names.
const mostCut = 5

// CutWarnings say where changes by people have left running work unprotected, for as long as
// it is (semantics §4). Each names work that its reader may see; a reader who may see none of
// it is not warned.
func CutWarnings(s *fleet.State, sees func(*fleet.Workload) bool, now fleet.Instant) (list []*musterv1.Warning) {
	for _, p := range s.Partitions {
		for _, a := range p.Accounts {
			if a.GPUsAs(fleet.HoldsUnprotected) > 0 {
				list = append(list, cutsOf(p, a, sees)...)
			}
		}
	}
	acknowledged(s, list, now)
	return list
}

// cutsOf are the warnings of one quota in a partition, one for each change.
func cutsOf(p *fleet.Partition, a *fleet.Account, sees func(*fleet.Workload) bool) (list []*musterv1.Warning) {
	var order []fleet.ProtectionCut
	named := map[fleet.ProtectionCut][]string{}
	for _, w := range a.Work() {
		c := w.LastCut()
		if c == nil || !sees(w) {
			continue
		}
		change := fleet.ProtectionCut{At: c.At, Change: c.Change, By: c.By, Reason: c.Reason}
		if named[change] == nil {
			order = append(order, change)
		}
		named[change] = append(named[change], fmt.Sprintf("%s/%s (%s)", w.Namespace, w.Name, words.Count(w.Unprotected(), "GPU")))
	}
	for _, c := range order {
		since := c.At.Time().UTC()
		list = append(list, &musterv1.Warning{
			Key: CutKey + p.ID + " " + a.Quota + " " + since.Format(time.RFC3339Nano),
			Text: fmt.Sprintf("Protection cut in %s since %s: %s of %s may be evicted when work inside the quota's backing needs the room, because %s (%s%s). %s of it are backed now",
				p.ID, since.Format("2006-01-02 15:04Z"), few(named[c]), a.Quota, c.Change, c.By, reasoned(c.Reason), words.Count(a.BackedGPUs(), "GPU")),
		})
	}
	return list
}

// few names the first of some names, and how many more there are.
func few(names []string) string {
	if more := len(names) - mostCut; more > 0 {
		return fmt.Sprintf("%s and %d more workloads", strings.Join(names[:mostCut], ", "), more)
	}
	return strings.Join(names, ", ")
}

func reasoned(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}
