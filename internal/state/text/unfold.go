package text

import (
	"fmt"
	"regexp"
	"strconv"
)

var ranged = regexp.MustCompile(`^(.*?)(\d+)\.\.(.*?)(\d+)$`)

// Unfolded are the names of a range, as people write it: tiger-h200-i1-001..008 is eight names, and so is
// tiger-h200-i1-001..tiger-h200-i1-008. A name that is no range is itself. A range of more names than the most is refused.
func Unfolded(name string, most int) ([]string, error) {
	m := ranged.FindStringSubmatch(name)
	if m == nil {
		return []string{name}, nil
	}
	head, first, again, last := m[1], m[2], m[3], m[4]
	alike := (again == "" || again == head) && len(first) == len(last)
	if alike && first > last { // as texts: numbers of equal length
		return nil, fmt.Errorf("%q goes from the last to the first; write %s%s..%s", Clip(name, Quoted), Clip(head, Quoted), last, first)
	}
	from, errFrom := strconv.Atoi(first)
	to, errTo := strconv.Atoi(last)
	if !alike || errFrom != nil || errTo != nil || to-from >= most {
		return nil, fmt.Errorf("%q is no range of nodes; write it as in tiger-h200-i1-001..008", Clip(name, Quoted))
	}
	names := make([]string, 0, to-from+1)
	for n := from; n <= to; n++ {
		names = append(names, fmt.Sprintf("%s%0*d", head, len(first), n))
	}
	return names, nil
}
