package api

import (
	"fmt"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// newcomer is a namespace that has no work. Who asks what would become of work in another's namespace is
// answered for it: how much that one holds of flex and waits for is told to its readers alone.
func newcomer(s *fleet.State) string {
	name := "newcomer"
	for n := 2; hasWork(s, name); n++ {
		name = fmt.Sprintf("newcomer-%d", n)
	}
	return name
}

// hasWork says whether there is work of a namespace.
func hasWork(s *fleet.State, namespace string) bool {
	return slices.ContainsFunc(s.Alive(), func(w *fleet.Workload) bool { return w.Namespace == namespace })
}
