package text

import "strings"

// longest is how long a word may be, in bytes: no key comes near a longer one, and distance is quadratic.
const longest = 64

// Nearest is the known word with the fewest typing errors between it and the
// given one, or "" where none is near enough to have been meant.
func Nearest(word string, known []string) string {
	if len(word) > longest {
		return ""
	}
	best, least := "", 1+max(1, len(word)/3)
	word = strings.ToLower(word)
	var rows [3][2 * longest]int // those of distance: no known word that is longer comes near
	for _, k := range known {
		low := strings.ToLower(k)
		if max(len(low)-len(word), len(word)-len(low)) >= least {
			continue // each letter more is an error
		}
		if d := distance(word, low, &rows); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance counts the insertions, deletions, replacements and swaps of
// neighbours from a to b, in rows that it may overwrite.
func distance(a, b string, rows *[3][2 * longest]int) int {
	before, row, next := rows[0][:len(b)+1], rows[1][:len(b)+1], rows[2][:len(b)+1]
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			next[j+1] = min(row[j]+one(a[i] != b[j]), row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row, next = row, next, before
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
