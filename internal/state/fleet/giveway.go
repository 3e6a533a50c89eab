package fleet

import "github.com/muster-fleet/muster/internal/state/text"

// WhyEvicted says in words why a workload gives way to another one, by the class of the
// eviction. Where both are of one quota and have other priorities, these are the cause.
func WhyEvicted(class string, w, by *Workload) string {
	if w == nil || by == nil || w.Target != by.Target || w.Priority == by.Priority {
		return text.Victim(class)
	}
	return text.Victim(class) + ": in " + w.Target + " " + by.Priority.String() + " comes before " + w.Priority.String()
}
