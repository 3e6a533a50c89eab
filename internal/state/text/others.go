package text

// OfOthers is what work is called to who may not read it: the one name for it, everywhere.
func OfOthers[N ~int | ~int32 | ~int64](n N) string {
	if n == 1 {
		return "another team's work"
	}
	return Group(n) + " workloads of other teams"
}
