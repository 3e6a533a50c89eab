package main

import (
	"go/format"
	"math/rand/v2"
	"testing"
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
			if a.start < b.end && b.start < a.end {
				t.Errorf("%q and %q overlap", a.Was, b.Was)
			}
		}
	}
	if len(list) < 3 {
		t.Errorf("%d of %d sites were drawn", len(list), len(all))
	}
}
