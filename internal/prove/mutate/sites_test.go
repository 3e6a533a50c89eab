package main

import (
	"go/format"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

const small = `package small

import "cmp"

const kept = 1 + 2

func f(a, b int) int {
	if a < b && b > 1 {
		a = b + 1
	}
	g()
	return cmp.Compare(a, b)
}
`

func TestEveryKindOfMistakeIsMadeAndTheFileStillParses(t *testing.T) {
	all, err := sitesOf("small.go", small)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for _, s := range all {
		kinds[s.Kind] = true
		text := rewrite(small, "example.org/m", []site{s}, []int{0})
		if _, err := format.Source([]byte(text)); err != nil {
			t.Errorf("%s of %q: %v\n%s", s.Kind, s.Was, err, text)
		}
	}
	for _, kind := range []string{"< became <=", "&& became ||", "> became >=", "negated condition", "constant + 1", "+ became -", "statement removed", "arguments swapped"} {
		if !kinds[kind] {
			t.Errorf("no site for %q among %v", kind, kinds)
		}
	}
}

func TestDrawnSitesDoNotOverlap(t *testing.T) {
	all, err := sitesOf("small.go", small)
	if err != nil {
		t.Fatal(err)
	}
	list := draw(rand.New(rand.NewPCG(1, 0)), all, 100)
	for i, a := range list {
		for _, b := range list[:i] {
			if a.overlaps(b) {
				t.Errorf("%q and %q overlap", a.Was, b.Was)
			}
		}
	}
	if len(list) < 3 {
		t.Errorf("%d of %d sites were drawn", len(list), len(all))
	}
}

func TestADearTestIsOneThatTakesMuchOfItsSuite(t *testing.T) {
	const output = "=== RUN   TestA\n--- PASS: TestA (9.00s)\n    --- PASS: TestA/part (9.00s)\n--- PASS: TestB (1.00s)\n--- PASS: TestC (0.00s)\nPASS\n"
	if got := dearTests(output, time.Second); !slices.Equal(got, []string{"^TestA$"}) {
		t.Errorf("of a second: %v", got)
	}
	if got := dearTests(output, 4*time.Second); !slices.Equal(got, []string{"^TestA$", "^TestB$"}) {
		t.Errorf("of four seconds: %v", got)
	}
}

func TestOnlySuitesThatReachASiteRunAndThoseFirstThatNoticeTheMostInASecond(t *testing.T) {
	slow := &suite{folder: "slow", reaches: map[int]bool{1: true}, took: 10 * time.Second}
	quick := &suite{folder: "quick", reaches: map[int]bool{1: true}, took: time.Second}
	far := &suite{folder: "far", reaches: map[int]bool{2: true}}
	all := []*suite{slow, far, quick}
	if got := reaching(all, 1); !slices.Equal(got, []*suite{quick, slow}) {
		t.Errorf("got %v", got)
	}
	slow.noticed = 20
	if got := reaching(all, 1); !slices.Equal(got, []*suite{slow, quick}) {
		t.Errorf("after twenty that the slow one noticed: %v", got)
	}
	if got, _ := try(t.Context(), all, 3); got != unreached {
		t.Errorf("a site that no test reaches: %s", got)
	}
}

func TestOnlyTriesWhatIsAskedForAmongTheFirstThatCompile(t *testing.T) {
	o := options{n: 3}
	if err := o.readOnly("2,4-5"); err != nil {
		t.Fatal(err)
	}
	if got := o.wanted(9, map[int]bool{2: true}); !slices.Equal(got, []int{1, 3}) { // the numbers 1, 2 and 4 of nine
		t.Errorf("got %v", got)
	}
}

func TestADrawKeepsItsPlacesWhileOtherCodeChanges(t *testing.T) {
	before, err := sitesOf("small.go", small)
	if err != nil {
		t.Fatal(err)
	}
	after, err := sitesOf("small.go", strings.Replace(small, "\tg()\n", "\th(7)\n\tb++\n", 1))
	if err != nil {
		t.Fatal(err)
	}
	drawn := draw(rand.New(rand.NewPCG(1, 0)), before, 100)
	found, gone := placed(drawn, after)
	for i, s := range drawn {
		if was := s.Was == "g()"; gone[i] != was {
			t.Errorf("%s: gone %v", s, gone[i])
		}
		if !gone[i] && (found[i].Was != s.Was || found[i].Kind != s.Kind) {
			t.Errorf("%s was found as %s", s, found[i])
		}
	}
}

func TestFilesOfACommitAreReadInTheOrderOfAWalk(t *testing.T) {
	got := walked([]string{"d/a.go", "d/b-c/x.go", "d/b.go", "d/b/x.go", "d/b/x_test.go", "d/notes.txt"})
	if want := []string{"d/a.go", "d/b/x.go", "d/b-c/x.go", "d/b.go"}; !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}
