package cli

import (
	"fmt"
	"strings"

	"github.com/muster-fleet/muster/internal/state/text"
)

// asked is what a workload asks for, as events say it.
type asked struct {
	Name, Namespace, Target string
	Priority                string
	Pools                   []struct {
		GPUs, Min, Max int
		Elastic        bool
	}
}

func (a asked) pools() string {
	var parts []string
	for _, p := range a.Pools {
		if p.Elastic {
			parts = append(parts, fmt.Sprintf("%d..%dx%d", p.Min, p.Max, p.GPUs))
		} else {
			parts = append(parts, fmt.Sprintf("%dx%d", p.Max, p.GPUs))
		}
	}
	return strings.Join(parts, "+")
}

func (n *names) of(id uint64) string {
	if name := n.jobs[id]; name != "" {
		return name
	}
	if n.asked[id] {
		return text.OfOthers(1)
	}
	return fmt.Sprintf("number %d", id)
}

// holdsWords are the ways to hold GPUs, by their numbers in events.
var holdsWords = [...]string{"", "guaranteed", "borrowing", "unprotected", "flex"}

// replicas counts the replicas in spots: each mention of a node is one.
func replicas(spots []any) string {
	n := 0
	for _, spot := range spots {
		if fields, ok := spot.(map[string]any); ok {
			if list, ok := fields["nodes"].([]any); ok {
				n += len(list)
			}
		}
	}
	return text.Count(n, "replica")
}
