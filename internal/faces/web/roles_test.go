package web_test

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A page offers what its reader's roles allow, and the form goes through; another reader is offered none of it.
func TestPagesOfferWhatTheRolesOfTheirReaderAllow(t *testing.T) {
	text := ""
	for _, name := range []string{"mary", "eve", "vic"} {
		sum := sha256.Sum256([]byte(name + "-0123456789abcdefghijkl"))
		text += "- {token_sha256: " + hex.EncodeToString(sum[:]) + ", user: " + name + "}\n"
	}
	tokens, err := api.ParseTokens(strings.NewReader(text))
	must(t, err)
	h := open(t, tokens).furnish()
	bind := func(name string, role fleet.Role, in fleet.Scope) {
		h.do(core.GrantRole{Subject: fleet.Principal{Kind: fleet.UserPrincipal, Name: name}, Role: role, Scope: in})
	}
	bind("mary", fleet.Manager, fleet.Scope{Quota: "research"})
	bind("eve", fleet.FleetEngineer, fleet.Scope{})
	bind("vic", fleet.Viewer, fleet.Scope{})
	page := func(name, path string) string {
		h.post("/sign-in", url.Values{"token": {name + "-0123456789abcdefghijkl"}, "back": {"/"}})
		code, body := h.get(path)
		if code != http.StatusOK {
			t.Fatalf("%s at %s: %d", name, path, code)
		}
		return body
	}
	has(t, page("mary", "/team/research/oak"), "/do/grant?", "/do/transfer?", "/do/hold?")
	has(t, page("eve", "/incidents"), "/do/open-incident")
	for _, c := range [][2]string{{"vic", "/team/research/oak"}, {"eve", "/team/research/oak"}} {
		if body := page(c[0], c[1]); strings.Contains(body, "/do/grant?") {
			t.Errorf("%s is offered a grant", c[0])
		}
	}
	if body := page("mary", "/incidents"); strings.Contains(body, "/do/open-incident") {
		t.Error("a manager of quotas is offered an incident")
	}
	has(t, page("eve", "/part/cluster-log?cluster=lynx"), "The pipeline has not begun.")
	has(t, page("vic", "/part/cluster-log?cluster=lynx"), "Your roles do not let you read logs")
	body := page("mary", "/do/grant?quota=research/oak&partition=tiger/h200&gpus=8&try=yes")
	if !strings.Contains(body, "Set the grant") || strings.Contains(body, "PermissionDenied") {
		t.Errorf("the form of a manager does not show what it would change:\n%.2000s", body)
	}
}
