package yamlfile

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// LongestName is the length that a name may have, as in Kubernetes.
const LongestName = core.MaxName

// A reader returns its zero value (Int its lower bound) where there is no value, and where it is wrong:
// then it has noted what would be right (Fail), and the file is refused once all of it is read.

// Text is a text.
func (v Value) Text() string {
	if v.node == nil {
		return ""
	}
	switch {
	case v.node.Kind != yaml.ScalarNode || v.tag() == "!!null":
		v.Fail("%s is %s; write a text", v.name, v.kind())
	case v.tag() != "!!str":
		v.Fail("%s is %s, which YAML reads as %s; put it in quotes", v.name, v.kind(), strings.TrimPrefix(v.tag(), "!!"))
	default:
		return v.node.Value
	}
	return ""
}

// Plain is a text as it is written, also where YAML reads something else in it: a name that
// is a number is still a name.
func (v Value) Plain() string {
	if v.node == nil {
		return ""
	}
	if v.node.Kind != yaml.ScalarNode || v.Empty() {
		v.Fail("%s is %s; write a text", v.name, v.kind())
		return ""
	}
	return v.node.Value
}

func (v Value) tag() string { return v.node.ShortTag() }

// is says whether there is a single value, and YAML reads it as one of some tags, such as !!str.
func (v Value) is(tags ...string) bool {
	return v.node != nil && v.node.Kind == yaml.ScalarNode && slices.Contains(tags, v.tag())
}

// short is a text that is not empty, and no longer than a name.
func (v Value) short() (string, bool) {
	text := v.Text()
	switch {
	case !v.IsText(): // Text has said so
		return "", false
	case text == "":
		v.Fail("%s is an empty text; write a name", v.name)
		return "", false
	case len(text) > LongestName:
		v.Fail("%s is %s; at most %d characters are allowed", v.name, Quote(text), LongestName)
		return "", false
	}
	return text, true
}

// Name is the name of one thing: no spaces, no slashes.
func (v Value) Name() string {
	text, ok := v.short()
	if !ok {
		return ""
	}
	if strings.IndexFunc(text, notInNames) >= 0 {
		v.Fail("%s is %s; a name has no spaces, slashes and control characters", v.name, Quote(text))
		return ""
	}
	return text
}

func notInNames(r rune) bool {
	return r <= ' ' || r == '/' || r == 0x7f
}

// Path is names joined by slashes: a quota, a partition, an island.
func (v Value) Path() string {
	text, ok := v.short()
	if !ok {
		return ""
	}
	if wrong := wrongPath(text); wrong != "" {
		v.Fail("%s is %s: %s", v.name, Quote(text), wrong)
		return ""
	}
	return text
}

// QuotaPath is the path of a quota: names joined by slashes, none twice, and not flex.
func (v Value) QuotaPath() string {
	path := v.Path()
	seen := map[string]bool{}
	for _, segment := range strings.Split(path, "/") {
		if seen[segment] {
			v.Fail("%s is %s: %s would stand under itself; name every part of a path once", v.name, Quote(path), Quote(segment))
			return ""
		}
		seen[segment] = true
	}
	if fleet.TreeOf(path) == fleet.Flex {
		v.Fail("%s is %s: flex is capacity that no quota uses, so no quota can have that name; choose another", v.name, Quote(path))
		return ""
	}
	return path
}

// Partition is a partition's ID, cluster/gpu.
func (v Value) Partition() string {
	id := v.Path()
	if id != "" && strings.Count(id, "/") != 1 {
		v.Fail("%s is %s; write cluster and GPU model, as in tiger/h200", v.name, Quote(id))
		return ""
	}
	return id
}

func wrongPath(path string) string {
	for _, segment := range strings.Split(path, "/") {
		switch {
		case segment == "":
			return "a part between slashes is empty; write it as in research/oak"
		case segment == "." || segment == "..":
			return "a path has no . and no ..; write every part by its name"
		case strings.IndexFunc(segment, notInNames) >= 0:
			return "a name has no spaces and control characters"
		}
	}
	return ""
}

// Word is one of several words.
func (v Value) Word(known ...string) string {
	word := v.Text()
	if !v.IsText() { // Text has said so
		return ""
	}
	if !slices.Contains(known, word) {
		v.Fail("%s is %s; %s", v.name, Quote(word), Remedy(word, known))
		return ""
	}
	return word
}

// Bool is true or false.
func (v Value) Bool() bool {
	if v.node == nil {
		return false
	}
	if !v.is("!!bool") {
		v.Fail("%s is %s; write true or false", v.name, v.kind())
		return false
	}
	return strings.EqualFold(v.node.Value, "true")
}

// Int is a whole number between two bounds.
func (v Value) Int(least, most int) int {
	n, ok := v.whole()
	if !ok {
		return least
	}
	if n < least || n > most {
		v.Fail("%s is %d; write a whole number from %d to %d", v.name, n, least, most)
		return least
	}
	return n
}

// IntOr is Int, or a default where the value is absent.
func (v Value) IntOr(otherwise, least, most int) int {
	if v.node == nil {
		return otherwise
	}
	return v.Int(least, most)
}

// IsInt says whether the value is a whole number.
func (v Value) IsInt() bool { return v.is("!!int") }

// IsText says whether the value is a text.
func (v Value) IsText() bool { return v.is("!!str") }

// whole is a whole number.
func (v Value) whole() (int, bool) {
	if v.node == nil {
		return 0, false
	}
	switch {
	case v.is("!!float") && strings.Trim(v.node.Value, "+-0123456789") != "": // YAML reads digits that no integer holds as a float
		v.Fail("%s is %s; write a whole number: nothing here comes in fractions", v.name, Clip(v.node.Value))
		return 0, false
	case !v.is("!!int", "!!float"):
		v.Fail("%s is %s; write a whole number", v.name, v.kind())
		return 0, false
	}
	n, err := strconv.Atoi(v.node.Value)
	if err != nil {
		v.Fail("%s is %s; write a whole number in plain digits, not larger than %d", v.name, Clip(v.node.Value), math.MaxInt)
		return 0, false
	}
	return n, true
}

// Share is a number between 0 and 1 with at most three decimals.
func (v Value) Share() fleet.Permille {
	if v.node == nil {
		return 0
	}
	if !v.is("!!float", "!!int") {
		v.Fail("%s is %s; write a number between 0 and 1, as in 0.15", v.name, v.kind())
		return 0
	}
	share, err := strconv.ParseFloat(v.node.Value, 64)
	switch thousandths := math.Round(share * 1000); {
	case err != nil || math.IsNaN(share) || share < 0 || share > 1:
		v.Fail("%s is %s; write a number between 0 and 1, as in 0.15", v.name, Clip(v.node.Value))
	case math.Abs(share*1000-thousandths) > 1e-6:
		v.Fail("%s is %s; at most three decimals are kept, as in 0.125", v.name, Clip(v.node.Value))
	default:
		return fleet.PermilleOf(share)
	}
	return 0
}

// Factor is how many times as often, from 1 to 1000 in whole thousandths; what is
// wrong reads as otherwise.
func (v Value) Factor(otherwise fleet.Permille) fleet.Permille {
	x, err := strconv.ParseFloat(v.node.Value, 64)
	if err != nil || v.node.Kind != yaml.ScalarNode || x < 1 || x > 1000 || math.Abs(x*1000-math.Round(x*1000)) > 1e-6 {
		v.Fail("%s is %s; write how many times as often, 1 to 1000, as in 1.25", v.name, v.kind())
		return otherwise
	}
	return fleet.PermilleOf(x)
}

// Duration is a time span of zero or more: a Go duration, or one with days.
func (v Value) Duration() time.Duration {
	if v.node == nil {
		return 0
	}
	if v.node.Kind != yaml.ScalarNode || (v.tag() != "!!str" && v.node.Value != "0") {
		v.Fail("%s is %s; write a time span with its unit, as in 30s, 4h or 7d", v.name, v.kind())
		return 0
	}
	d, err := ParseDuration(v.node.Value)
	switch {
	case err != nil:
		v.Fail("%s is %s; write a time span with its unit, as in 30s, 4h or 7d", v.name, Quote(v.node.Value))
	case d < 0:
		v.Fail("%s is %s; a time span is zero or more", v.name, Quote(v.node.Value))
	default:
		return d
	}
	return 0
}

// Names is a list of names, none twice.
func (v Value) Names() []string {
	return v.unique(func(e Value) string { return e.Name() })
}

// Texts is a list of short texts, none twice.
func (v Value) Texts() []string {
	return v.unique(func(e Value) string { text, _ := e.short(); return text })
}

// unique reads a list of texts, and names the line of the first where one comes twice.
func (v Value) unique(read func(Value) string) []string {
	first := map[string]int{}
	var all []string
	for _, entry := range v.List() {
		text := read(entry)
		if line, twice := first[text]; twice && text != "" {
			entry.Fail("%s is in this list twice, first in line %d; keep one", Quote(text), line)
			continue
		}
		first[text] = entry.Line()
		if text != "" {
			all = append(all, text)
		}
	}
	return all
}
