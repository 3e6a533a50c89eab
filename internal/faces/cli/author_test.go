package cli

import (
	"strings"
	"testing"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// The author of a workload is told where it is known, and not a word of it where it is not.
func TestTheAuthorIsToldWhereItIsKnown(t *testing.T) {
	for author, want := range map[string]bool{"": false, "ada@example.com": true} {
		w := &musterv1.Workload{Spec: &musterv1.WorkloadSpec{Name: "train", Namespace: "oak", Target: "flex"}, State: "pending", Author: author}
		var show, why strings.Builder
		(&page{Writer: &show, clock: clock{zone: time.UTC}}).job(w, &musterv1.WhyResponse{Workload: w})
		(&page{Writer: &why, clock: clock{zone: time.UTC}}).why(&musterv1.WhyResponse{Workload: w}, nil)
		if strings.Contains(show.String(), "made by       ada@example.com") != want || strings.Contains(show.String(), "made by") != want {
			t.Errorf("of %q muster job show says %q", author, show.String())
		}
		if strings.Contains(why.String(), "ada@example.com made it.") != want || strings.Contains(why.String(), "made it") != want {
			t.Errorf("of %q muster why says %q", author, why.String())
		}
	}
}
