package cli

import (
	"fmt"
	"strings"

	"github.com/muster-fleet/muster/internal/state/text"
)

// jobSentences say what events would mean for a workload, by kind; its name comes before them.
var jobSentences = map[string]func(n *names, f foreseen) string{
	"workload.submitted": func(_ *names, f foreseen) string {
		return fmt.Sprintf("is submitted to %s: %s, %s", f.Spec.Target, f.Spec.pools(), f.Spec.Priority)
	},
	"workload.cancelled": func(*names, foreseen) string { return "is cancelled" },
	"workload.finished":  func(*names, foreseen) string { return "ends" },
	"workload.retargeted": func(_ *names, f foreseen) string {
		return "gets another target: " + f.Target + prefixed(" in ", f.Partition)
	},
	"workload.prioritised": func(_ *names, f foreseen) string { return "gets priority " + f.Priority },
	"workload.resized":     func(_ *names, f foreseen) string { return f.resized() },
	"replicas.placed":      func(_ *names, f foreseen) string { return f.placed() },
	"replicas.started":     func(*names, foreseen) string { return "starts in its reserved room" },
	"replicas.evicted":     func(n *names, f foreseen) string { return n.evicted(f) },
	"replicas.stopped":     func(_ *names, f foreseen) string { return "has left: " + replicas(f.Spots) },
	"replicas.lost": func(_ *names, f foreseen) string {
		return fmt.Sprintf("leaves %s with %s: the node goes out of service", f.Node, replicas(f.Spots))
	},
	"replicas.overdue": func(*names, foreseen) string { return "is told again to leave" },
	"gang.returned": func(_ *names, f foreseen) string {
		if strings.HasPrefix(f.Why, "rollout ") || strings.HasPrefix(f.Why, "maintenance ") {
			return "leaves with " + replicas(f.Spots) + " for " + f.Why
		}
		return "goes back to its queue with its age" + prefixed(": ", f.Why)
	},
	"reservation.ended": func(_ *names, f foreseen) string { return "gives up its reserved room" + prefixed(": ", f.Why) },
	"holds.changed":     func(_ *names, f foreseen) string { return f.holdsOtherwise() },
}

func (f foreseen) placed() string {
	what := fmt.Sprintf("%s, %s, in %s", replicas(f.Spots), holdsWords[f.Holds%len(holdsWords)], f.Partition)
	switch {
	case f.Reserved:
		return "has room reserved until others have left: " + what
	case f.Mend:
		return "is mended: " + what
	}
	return "starts: " + what
}

func (n *names) evicted(f foreseen) string {
	says := "must leave: " + replicas(f.Spots)
	if f.For != 0 {
		says += ", for " + n.of(f.For)
	}
	return says + prefixed("; ", text.Victim(f.Class))
}

func (f foreseen) holdsOtherwise() string {
	from, _ := f.From.(float64)
	to, _ := f.To.(float64)
	how := holdsWords[f.Holds%len(holdsWords)]
	if how == "flex" {
		how = "on flex"
	}
	return fmt.Sprintf("(%s) becomes %s", counted(int64(to-from), "replica", "replicas"), how)
}
