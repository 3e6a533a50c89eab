package prose

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// counting are the rooms whose messages count things: those that people read.
var counting = []string{"internal/decide", "internal/answer", "internal/faces/cli", "internal/faces/api", "internal/faces/wire", "internal/faces/calendar", "internal/run/notify"}

// number finds a number with its word for many, and the word before it.
var number = regexp.MustCompile(`(\S*) ?%[ds] (GPUs|nodes|jobs|workloads|replicas|islands|quotas|clusters|partitions|records|versions|zones|visits|waves|signals|entries|pools|updates|racks|tokens)\b`)

// bound are the words before a number that is a limit or the end of a range: it is never one.
var bound = []string{"to", "most", "than", "least", "all", "exactly"}

// guarded are messages that are written only where there are several.
var guarded = []string{
	"These %d nodes run", "or %d entries of lists", "%d × %d nodes", "%d of the %s nodes make no whole pool", "%s of %s jobs ended",
}

// One thing is told with its word for one: what counts goes through text.Count.
func TestOneThingIsNotToldAsMany(t *testing.T) {
	for name, data := range prose(t) {
		in := func(room string) bool { return strings.HasPrefix(name, room) }
		if !slices.ContainsFunc(counting, in) || in("internal/decide/invariant") || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, data, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			if says, err := strconv.Unquote(lit.Value); err == nil {
				for _, found := range manyOf(says) {
					t.Errorf("%s: %q would be said of one, too; write %%s and text.Count", set.Position(lit.Pos()), found)
				}
			}
			return true
		})
	}
}

// manyOf are the numbers of a message that are told as many, whatever they are.
func manyOf(says string) (list []string) {
	if slices.ContainsFunc(guarded, func(one string) bool { return strings.Contains(says, one) }) {
		return nil
	}
	for _, m := range number.FindAllStringSubmatch(says, -1) {
		if !slices.Contains(bound, m[1]) && !strings.HasSuffix(m[1], "..") {
			list = append(list, m[0])
		}
	}
	return list
}

func TestNumbersThatAreToldAsManyAreFound(t *testing.T) {
	for says, want := range map[string]int{"it has %d GPUs": 1, "%d nodes failed": 1, "1 to %d nodes": 0, "at most %d pools": 0, "%d..%d nodes": 0, "%s of %s": 0} {
		if got := len(manyOf(says)); got != want {
			t.Errorf("%q has %d, want %d", says, got, want)
		}
	}
}
