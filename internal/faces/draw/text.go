package draw

import (
	"strconv"
	"strings"

	"github.com/muster-fleet/muster/internal/state/text"
)

// Sizes of letters in a drawing, in pixels.
const (
	body  = 13.0
	small = 12.0
)

// width is how wide a word is at most, in pixels: by a table of the widest of the
// usual sans-serif letters, so that what fits here fits everywhere.
func width(s string, size float64) float64 {
	w := 0.0
	for _, r := range s {
		w += letter(r)
	}
	return w * size
}

func letter(r rune) float64 {
	switch {
	case strings.ContainsRune("il.,:;'|!", r):
		return 0.34
	case strings.ContainsRune("fjrtI()[]/- ", r):
		return 0.42
	case r >= '0' && r <= '9':
		return 0.64
	case strings.ContainsRune("mwMW%@", r):
		return 1.0
	case r >= 'A' && r <= 'Z':
		return 0.76
	case r > 0x2e80:
		return 1.05
	}
	return 0.63
}

// fit cuts a word so that it is no wider than so many pixels. A path loses its
// beginning, which says least; anything else, such as words before a path, its end.
func fit(s string, size, most float64) string {
	if width(s, size) <= most {
		return s
	}
	runes := []rune(s)
	head := strings.Contains(s, "/") && !strings.Contains(s, " ")
	for n := len(runes) - 1; n > 0; n-- {
		short := string(runes[:n]) + "…"
		if head {
			short = "…" + string(runes[len(runes)-n:])
		}
		if width(short, size) <= most {
			return short
		}
	}
	return "…"
}

// Number writes a number as people read it: 12,288.
func Number(n int) string {
	s := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, s = "−", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// brief writes a number in at most four letters: 950, 9.5k, 12k, 3.4M.
func brief(n int) string {
	for _, unit := range []string{"", "k", "M"} {
		switch {
		case n < 1000 || unit == "M":
			return strconv.Itoa(n) + unit
		case n < 10_000 && n%1000 >= 100:
			return strconv.Itoa(n/1000) + "." + strconv.Itoa(n%1000/100) + next[unit]
		}
		n /= 1000
	}
	return ""
}

var next = map[string]string{"": "k", "k": "M"}

// Count writes a number with its word: 1 node, 2 nodes.
func Count(n int, one string) string { return text.Count(n, one) }
