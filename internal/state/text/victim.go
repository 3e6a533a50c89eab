package text

// Victim says in words why work must leave, by the class of its eviction. The class of
// borrowing is judged beside the newcomer: work that was guaranteed until then is of it, too,
// where more important work of its own quota comes.
func Victim(class string) string {
	switch class {
	case "flex":
		return "it is on flex"
	case "unprotected":
		return "it is unprotected"
	case "borrowing":
		return "no backing of its quota is left for it"
	case "importance":
		return "it is less important"
	case "fairness":
		return "its namespace has more than its share"
	case "surplus":
		return "it is above its pool's min"
	}
	return class
}

// GivesWay says in words why work of a target and a priority gives way to other work. Where
// both are of one quota and have other priorities, these are the cause.
func GivesWay(class, target, priority, byTarget, byPriority string) string {
	if class == "borrowing" && target != byTarget {
		return Victim(class) + ", and " + byTarget + " takes it"
	}
	if target != byTarget || priority == byPriority {
		return Victim(class)
	}
	return Victim(class) + ": in " + target + ", work of " + priority + " priority gives way to " + byPriority
}
