package text

import (
	"strconv"
	"strings"
)

// Folded says names in a row as ranges: tiger-h200-i1-001..008.
func Folded(names []string) []string {
	var list []string
	for i := 0; i < len(names); {
		last := i
		for last+1 < len(names) && follows(names[last], names[last+1]) {
			last++
		}
		text := names[i]
		if last > i {
			text += ".." + digits(names[last])
		}
		list, i = append(list, text), last+1
	}
	return list
}

// digits is the number at the end of a name, as it is written.
func digits(name string) string {
	return name[strings.LastIndexFunc(name, func(r rune) bool { return r < '0' || r > '9' })+1:]
}

// follows says whether a name is the next one after another.
func follows(a, b string) bool {
	m, n := digits(a), digits(b)
	i, errA := strconv.Atoi(m)
	k, errB := strconv.Atoi(n)
	return errA == nil && errB == nil && k == i+1 && len(m) == len(n) && strings.TrimSuffix(a, m) == strings.TrimSuffix(b, n)
}
