package api

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// FuzzClaims reads any text as the claims of a token: no group comes out of them that could be
// taken for another kind of principal, and no cluster of a token that is none.
func FuzzClaims(f *testing.F) {
	f.Add([]byte(`["oak","birch"]`))
	f.Add([]byte(`"oak"`))
	f.Add([]byte(`{"aud":["muster/tiger"],"sub":"system:serviceaccount:oak:train"}`))
	f.Add([]byte(`["serviceaccount:dcgm", 7, null]`))
	f.Fuzz(func(t *testing.T, claims []byte) {
		for _, g := range groupsIn(claims) {
			if !fleet.ValidPrincipalName(g) || strings.Contains(g, ":") {
				t.Fatalf("%q is a group", g)
			}
		}
		cluster := claimedCluster("a." + base64.RawURLEncoding.EncodeToString(claims) + ".b")
		if cluster != "" && !strings.Contains(string(claims), "aud") && !strings.Contains(string(claims), `\u`) && !strings.Contains(strings.ToLower(string(claims)), "aud") {
			t.Fatalf("%q is of cluster %q", claims, cluster)
		}
	})
}
