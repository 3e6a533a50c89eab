package cli

import (
	"strings"
	"testing"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// That a proposal could not be approved any more was said to who tried, and not in the list.
func TestAStaleProposalIsMarked(t *testing.T) {
	list := []*musterv1.Proposal{{Id: 1, State: "open", By: "user:amy", Stale: true}, {Id: 2, State: "open", By: "user:amy"}}
	var out strings.Builder
	(&page{Writer: &out, clock: clock{zone: time.UTC}}).staleProposals(list)
	if stateOf(list[0]) != "open, stale" || stateOf(list[1]) != "open" || !strings.Contains(out.String(), "user:amy proposes it anew") || strings.Contains(out.String(), "Proposal 2") {
		t.Errorf("%s, %s:\n%s", stateOf(list[0]), stateOf(list[1]), out.String())
	}
}

// Work that the reader may not read was "number 1849".
func TestWorkOfOthersHasAPlainSubject(t *testing.T) {
	n := &names{jobs: map[uint64]string{4: "red/a"}, asked: map[uint64]bool{4: true, 7: true}}
	for id, want := range map[uint64]string{4: "red/a", 7: "another team's work", 12: "number 12"} {
		if is := n.of(id); is != want {
			t.Errorf("workload %d is called %q, want %q", id, is, want)
		}
	}
}
