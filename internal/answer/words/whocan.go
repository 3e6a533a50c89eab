package words

import "github.com/muster-fleet/muster/internal/answer/reason"

// WhoCan is who can do something about a blocker or make a change of class ask, with a verb after it:
// what is the code of the one or the kind of the other.
func WhoCan(what string) string {
	if reason.OwnerHelps(what) {
		return "a quota owner or an operator"
	}
	return "an operator"
}
