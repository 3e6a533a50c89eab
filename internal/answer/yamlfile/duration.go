package yamlfile

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// ParseDuration reads a Go duration that may begin with days: 90s, 4h, 7d, 1d12h.
func ParseDuration(text string) (time.Duration, error) {
	days, rest, ok := strings.Cut(text, "d")
	if !ok {
		return time.ParseDuration(text)
	}
	n, err := strconv.ParseFloat(days, 64)
	if err != nil || !plainNumber(days) {
		return 0, fmt.Errorf("%q is no time span", Clip(text))
	}
	whole := n * float64(24*time.Hour)
	if math.Abs(whole) > math.MaxInt64/2 {
		return 0, fmt.Errorf("%q is longer than can be counted", Clip(text))
	}
	if rest == "" {
		return time.Duration(whole), nil
	}
	more, err := time.ParseDuration(rest)
	if err != nil || more < 0 || more > math.MaxInt64/2 || n < 0 {
		return 0, fmt.Errorf("%q is no time span", Clip(text))
	}
	return time.Duration(whole) + more, nil
}

// plainNumber keeps out what ParseFloat likes and people do not write: Inf, 0x1, 1e9.
func plainNumber(s string) bool {
	return strings.Trim(s, "0123456789.-") == ""
}
