package frame

import (
	"strings"
	"testing"
)

// A page has fields where the command line has flags, and refusals name none.
func TestRefusalsOfPagesNameNoFlag(t *testing.T) {
	for says, want := range map[string]string{
		"overcommit needs a reason; say why (--reason)":                      "overcommit needs a reason; say why under Reason",
		"lower another grant, or overcommit (--overcommit) with a reason":    "lower another grant, or overcommit with a reason",
		"it needs a reason, an owner and a link (--reason, --owner, --link)": "it needs a reason, an owner and a link",
		"apply it then, or now with --early and a reason":                    "apply it then, or now with the box for it ticked and a reason",
		"say with a reason (`--reason`) what made the canary fail":           "say with a reason what made the canary fail",
		"or let canaries stand elsewhere: --canary-anywhere":                 "or let canaries stand elsewhere: canaries outside the scope",
	} {
		if got := InPageWords(says); got != want || strings.Contains(got, "--") {
			t.Errorf("%q became %q, not %q", says, got, want)
		}
	}
}

// The product's name is not said twice in a title.
func TestATitleNamesTheProductOnce(t *testing.T) {
	for title, want := range map[string]string{"Fleet": "Fleet · Muster", productName: "Muster"} {
		if got := (Page{Title: title}).inTab(); got != want {
			t.Errorf("the title is %q, not %q", got, want)
		}
	}
}
