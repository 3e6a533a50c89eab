package frame

import (
	"bytes"
	"strings"
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// What the server says of itself is nothing that a person could acknowledge.
func TestTheServersOwnWarningsOfferNoAcknowledgement(t *testing.T) {
	own := serverBanners([]*musterv1.Warning{{Key: "server journal", Text: "STALE"}, {Key: "burst x", Text: "of a partition"}})
	other := Banner{Key: "burst x", Text: "of a partition", Path: "/nodes", Do: "Judge it …"}
	var page bytes.Buffer
	if err := banners(frame{operator: true, v: &Visit{}, here: append(own, other)}).Render(t.Context(), &page); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(page.String(), "Acknowledge …"); len(own) != 1 || n != 1 || strings.Contains(page.String(), "key=server") {
		t.Errorf("of one warning of the server's and one of a partition %d can be acknowledged:\n%s", n, page.String())
	}
}
