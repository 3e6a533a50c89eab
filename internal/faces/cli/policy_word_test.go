package cli

import (
	"strings"
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// What is typed to set a policy again is read as that policy.
func TestAPolicyIsTypedAsItIsRead(t *testing.T) {
	share := func(x float64) *float64 { return &x }
	for want, b := range map[string]*musterv1.Buffer{
		"inherit": nil,
		"8.3%":    {Kind: "fixed", Share: 0.083},
		"calibrated --confidence 98% --floor 2% --ceiling 30.5%": {Kind: "calibrated", Confidence: share(0.98), Floor: share(0.02), Ceiling: share(0.305)},
	} {
		line := policyTyped(b)
		if got := strings.Join(line, " "); got != want {
			t.Errorf("%v is typed %q, want %q", b, got, want)
		}
		if read, ok := readPolicy(line[0]); b != nil && (!ok || read.GetKind() != b.GetKind()) {
			t.Errorf("%q is read as %v", line[0], read)
		}
	}
}
