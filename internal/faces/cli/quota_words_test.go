package cli

import (
	"bytes"
	"strings"
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// Borrowing counts GPUs by how work holds them, borrowed and lent are counts of the quota (semantics §1): each says which it is.
func TestAQuotaSaysWhatItBorrowsAndLendsInTheContractsWords(t *testing.T) {
	g := &musterv1.Grant{Partition: "tiger/h200", Assigned: 64, Backed: 64, Usage: 68, Borrowing: 5, Borrowed: 4, Lent: 15}
	var b bytes.Buffer
	(&page{Writer: &b}).grant(g)
	for _, want := range []string{
		"borrowing         5  held by work that quotas of its tree may evict\n",
		"borrowed          4  usage above what is backed: backing that siblings leave unscheduled covers it\n",
		"lent             15  unscheduled backing that siblings use\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
	if got := noteOf(&musterv1.Quota{}, g); !strings.Contains(got, "4 borrowed, 15 lent") {
		t.Errorf("the note of a grant is %q", got)
	}
}
