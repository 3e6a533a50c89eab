package text

// Victim says in words why work must leave, by the class of its eviction. It says "this work", since the
// sentence around it names the work that comes, too. The class of
// borrowing is judged beside the newcomer: work that was guaranteed until then is of it, too,
// where more important work of its own quota comes.
func Victim(class string) string {
	switch class {
	case "flex":
		return "this work is on flex"
	case "unprotected":
		return "this work is unprotected"
	case "borrowing":
		return "no backing of its quota is left for this work"
	case "importance":
		return "this work is less important"
	case "fairness":
		return "the namespace of this work has more than its share"
	case "surplus":
		return "this work is above its pool's min"
	}
	return class
}

// Side is one of two workloads of which one gives way to the other. Importance is a number that is
// smaller for more important priorities.
type Side struct {
	Namespace, Target, Priority string
	Importance                  int
}

// onFlex is the target of work that has no quota.
const onFlex = "flex"

// GivesWay says in words why work gives way to other work, and by which right that comes. Priorities are named only where they
// decided: within one quota, or within one namespace on flex. Between namespaces on flex the one
// that holds less of it comes first, whatever the priorities.
func GivesWay(class string, w, by Side) string {
	says := Victim(class)
	switch {
	case w.Target != by.Target && class == "borrowing":
		return says + ", and " + by.Target + " takes it"
	case w.Target != by.Target && by.Target != onFlex:
		return says + ", and work of the quota " + by.Target + " goes before it"
	case w.Target != by.Target:
		return says
	case class == "flex" && w.Namespace != by.Namespace:
		return says + ", where the namespace with less flex goes first: " + by.Namespace + " is below its share, and " + w.Namespace + " was above"
	case by.Importance < w.Importance:
		return says + ": in " + w.Target + ", " + by.Priority + " priority goes before " + w.Priority
	}
	return says
}
