package text

import "strings"

const otherTeams = " workloads of other teams"

// OfOthers is what work is called to who may not read it: the one name for it, everywhere.
func OfOthers[N ~int | ~int32 | ~int64](n N) string {
	if n == 1 {
		return "another team's work"
	}
	return Group(n) + otherTeams
}

// IsOfOthers says whether a name is what OfOthers calls work, and whether that is more than one workload.
func IsOfOthers(name string) (is, many bool) {
	many = strings.HasSuffix(name, otherTeams)
	return many || name == OfOthers(1), many
}
