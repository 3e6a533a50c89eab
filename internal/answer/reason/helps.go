package reason

// ownerHelps names what of class Ask the owner of a quota can do something about, by the role: codes of
// reasons, and kinds of change. For all else of that class it takes an operator.
// TestAnOwnerIsNamedWhereTheRoleMayHelp (decide/core) holds it against the table of actions.
var ownerHelps = map[string]bool{string(Held): true, "holds": true, "transfer": true}

// OwnerHelps says whether the owner of a quota can do something about a reason, or make a change of that
// kind: what is the code or the kind.
func OwnerHelps(what string) bool { return ownerHelps[what] }
