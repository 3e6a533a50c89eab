package picture

import (
	"strings"
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// Work that its reader may not read ended without a subject: " ends, as declared".
func TestWorkOfOthersThatEndsHasASubject(t *testing.T) {
	for about, want := range map[string]string{"": "another team's work ends, as declared", "oak/base": "oak/base ends, as declared"} {
		if is := Aheads([]*musterv1.Ahead{{Kind: "work", About: about}}, nil)[0].Name; is != want {
			t.Errorf("%q, want %q", is, want)
		}
	}
}

// A node without work is free while it is in service. Of one that is not nothing is said of who holds it.
func TestANodeIsFreeWhileItIsInService(t *testing.T) {
	for state, free := range map[string]bool{"healthy": true, "maintenance": false, "repairing": false, "quarantined": false} {
		says := cellOf(&musterv1.Node{Name: "n1", State: state, Gpus: 8}, false, nowhere).Says
		if strings.HasSuffix(says, "\nfree") != free || !free && says != "n1\n"+state {
			t.Errorf("of a node that is %s the hover says %q", state, says)
		}
	}
}
