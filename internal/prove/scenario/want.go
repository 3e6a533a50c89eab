package scenario

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/answer/yamlfile"
)

// Want is what one figure must be.
type Want interface {
	// met says whether an actual value is as wanted. Values are int,
	// time.Duration, string, []string or map[string]int.
	met(actual any) bool
	String() string
}

// Bound is a number, or a bound on one; times are counted in nanoseconds.
type Bound struct {
	Op   string // "" for exactly; >=, <=, >, <
	N    int64
	Time bool
}

// Word is a word that must be just so.
type Word string

// Says is a text that must be contained.
type Says string

// Words are names, in whatever order.
type Words []string

// Numbers are figures by name, of which those that are not named may be
// anything, and those that are not there are zero. None at all: all are zero.
type Numbers map[string]Bound

var bound = regexp.MustCompile(`^(>=|<=|>|<) *(\S+)$`)

// readBound reads a number, or a bound on one as text.
func readBound(v yamlfile.Value, span bool) Bound {
	if !span && v.IsInt() {
		return Bound{N: int64(v.Int(-mostGPUs, mostGPUs))}
	}
	if span && !v.IsText() {
		return Bound{N: int64(v.Duration()), Time: true}
	}
	op, rest := "", v.Text()
	if m := bound.FindStringSubmatch(rest); m != nil {
		op, rest = m[1], m[2]
	}
	n, ok := parseNumber(rest, span)
	if !ok || (op == "" && !span) {
		v.Fail("%q is neither a figure nor a bound; write it as in %s", yamlfile.Clip(v.Text()), example(span))
	}
	return Bound{Op: op, N: n, Time: span}
}

func example(span bool) string {
	if span {
		return `30m or "<= 30m"`
	}
	return `64 or ">= 64"`
}

func parseNumber(text string, span bool) (int64, bool) {
	if span {
		d, err := yamlfile.ParseDuration(text)
		return int64(d), err == nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

func (b Bound) met(actual any) bool {
	var n int64
	switch a := actual.(type) {
	case int:
		n = int64(a)
	case time.Duration:
		n = int64(a)
	case []string:
		n = int64(len(a)) // how many
	default:
		return false
	}
	switch b.Op {
	case ">=":
		return n >= b.N
	case "<=":
		return n <= b.N
	case ">":
		return n > b.N
	case "<":
		return n < b.N
	}
	return n == b.N
}

func (b Bound) String() string {
	text := strconv.FormatInt(b.N, 10)
	if b.Time {
		text = words.Duration(time.Duration(b.N))
	}
	return strings.TrimSpace(b.Op + " " + text)
}

func (w Word) met(actual any) bool { return actual == string(w) }
func (w Word) String() string      { return show(string(w)) }

func (s Says) met(actual any) bool {
	text, ok := actual.(string)
	return ok && strings.Contains(text, string(s))
}
func (s Says) String() string { return fmt.Sprintf("a text with %q", string(s)) }

func (w Words) met(actual any) bool {
	list, ok := actual.([]string)
	a, b := slices.Sorted(slices.Values(list)), slices.Sorted(slices.Values(w))
	return ok && slices.Equal(a, b)
}
func (w Words) String() string { return show([]string(w)) }

func (n Numbers) met(actual any) bool {
	m, ok := actual.(map[string]int)
	if len(n) == 0 {
		return ok && !slices.ContainsFunc(slices.Collect(maps.Values(m)), func(x int) bool { return x != 0 })
	}
	for name, b := range n {
		ok = ok && b.met(m[name])
	}
	return ok
}

func (n Numbers) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(n)) {
		parts = append(parts, name+": "+n[name].String())
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// show is an actual value as people read it.
func show(actual any) string {
	switch a := actual.(type) {
	case time.Duration:
		return words.Duration(a)
	case []string:
		return "[" + strings.Join(a, ", ") + "]"
	case map[string]int:
		n := Numbers{}
		for name, x := range a {
			n[name] = Bound{N: int64(x)}
		}
		return n.String()
	case map[string]string:
		return Texts(a).String()
	case nil:
		return "nothing"
	case string:
		if a == "" {
			return "nothing"
		}
	}
	return fmt.Sprint(actual)
}
