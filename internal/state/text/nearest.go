package text

import "strings"

// Nearest is the known word with the fewest typing errors between it and the
// given one, or "" where none is near enough to have been meant.
func Nearest(word string, known []string) string {
	const longest = 64 // no key comes near, and distance is quadratic
	if len(word) > longest {
		return ""
	}
	best, least := "", 1+max(1, len(word)/3)
	for _, k := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance counts the insertions, deletions, replacements and swaps of
// neighbours from a to b.
func distance(a, b string) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			next[j+1] = min(row[j]+one(a[i] != b[j]), row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// Meant asks whether the nearest known word was meant, for the end of a message; "" where none is near.
func Meant(word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return "; did you mean \"" + near + "\"?"
	}
	return ""
}
