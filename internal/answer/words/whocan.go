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

// BlockerMeans is what a blocker means to those who wait, by its class and code. Beside a first blocker that
// does not pass by waiting (stuck), what would pass is told as no help by itself.
func BlockerMeans(class, code string, stuck bool) string {
	switch {
	case class == "change":
		return "waiting does not help; you can change it"
	case class == "ask":
		return WhoCan(code) + " can help"
	case class == "fault":
		return "something is broken"
	case stuck:
		return "it passes with time, which alone does not start the work"
	case code == string(reason.Resting):
		return "it starts when it has rested"
	}
	return "it may start once other work has ended"
}

// Stuck says whether work with a first blocker of a class will not start by waiting.
func Stuck(first string) bool { return first == "change" || first == "ask" }
