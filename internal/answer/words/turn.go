package words

import "fmt"

// Turn says when it is a workload's turn, as the end of a sentence, by its place in its queue (0: it does not wait). One that
// is the first of its queue may wait behind another queue's first, and on flex the first of its namespace behind another
// namespace's; first is the work that goes before it, where that is known.
func Turn(place int, target string, first []string) string {
	said := fmt.Sprintf(", number %d in its queue", place)
	switch {
	case place == 0:
		return ""
	case place > 1:
		return said
	case target == "flex":
		said = ", number 1 of its namespace"
	}
	if len(first) > 0 {
		said += ", behind " + Few(first, 3)
	}
	return said
}
