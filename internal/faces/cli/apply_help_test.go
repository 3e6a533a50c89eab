package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/fleetfile"
)

// The fleet file that the help shows is one, and has what a first one needs.
func TestTheFleetFileOfTheHelpIsOne(t *testing.T) {
	f, err := fleetfile.Parse("small", []byte(smallFleet), fleetfile.Options{})
	if err != nil || len(f.Clusters) != 1 || len(f.Quotas) != 1 || len(f.Quotas[0].Grants) != 1 {
		t.Errorf("it has %d clusters and %d quotas: %v", len(f.Clusters), len(f.Quotas), err)
	}
	var out bytes.Buffer
	env := &Env{Out: &out, Err: &out, Getenv: func(string) string { return "" }, Now: noonNow, Zone: time.UTC}
	if code := New(env).Run(t.Context(), []string{"apply", "--help"}); code != 0 || !strings.Contains(out.String(), smallFleet) {
		t.Errorf("muster apply --help, exit code %d, does not show it:\n%s", code, out.String())
	}
}
