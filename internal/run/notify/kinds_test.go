package notify

import (
	"os"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// listedIn is where the kinds of notices are listed for people, and how a kind stands there.
var listedIn = map[string]string{
	"../../../docs/webhooks.md":                     "| `KIND` |",
	"../../../proto/muster/v1/subscription.proto":   "KIND",
	"../../../internal/faces/cli/subscription.go":   "KIND",
	"../../../internal/state/fleet/subscription.go": `NoticeKind = "KIND"`,
}

// TestEveryKindOfNoticeStandsWhereTheyAreListed names the place that lacks one.
func TestEveryKindOfNoticeStandsWhereTheyAreListed(t *testing.T) {
	for path, as := range listedIn {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range fleet.NoticeKinds() {
			if want := strings.ReplaceAll(as, "KIND", string(kind)); !strings.Contains(string(data), want) {
				t.Errorf("%s lists kinds of notices, and not %q", path, want)
			}
		}
		if n := strings.Count(string(data), `NoticeKind = "`); n > 0 && n != len(fleet.NoticeKinds()) {
			t.Errorf("%s has %d kinds, and NoticeKinds lists %d", path, n, len(fleet.NoticeKinds()))
		}
	}
}
