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

// people opens a house for people who sign in with their name's token; page reads a page as one of them.
func people(t *testing.T, names ...string) (h *house, page func(name, path string) string) {
	t.Helper()
	text := ""
	for _, name := range names {
		sum := sha256.Sum256([]byte(name + "-0123456789abcdefghijkl"))
		text += "- {token_sha256: " + hex.EncodeToString(sum[:]) + ", user: " + name + "}\n"
	}
	tokens, err := api.ParseTokens(strings.NewReader(text))
	must(t, err)
	h = open(t, tokens).furnish()
	return h, func(name, path string) string {
		h.post("/sign-in", url.Values{"token": {name + "-0123456789abcdefghijkl"}, "back": {"/"}})
		code, body := h.get(path)
		if code != http.StatusOK {
			t.Fatalf("%s at %s: %d", name, path, code)
		}
		return body
	}
}

func user(name string) fleet.Principal {
	return fleet.Principal{Kind: fleet.UserPrincipal, Name: name}
}

// That a person broke the glass was on no page.
func TestEveryPageSaysThatAPersonBrokeTheGlass(t *testing.T) {
	h, page := people(t, "ada", "vic")
	h.do(core.GrantRole{Subject: user("ada"), Role: fleet.BreakGlass}, core.GrantRole{Subject: user("vic"), Role: fleet.Viewer})
	_, err := h.engine.Do(t.Context(), core.Request{Command: core.BreakGlass{}, Actor: core.Actor{Name: "user:ada", User: "ada", Principal: user("ada")}, Reason: "fire"})
	must(t, err)
	for _, path := range []string{"/", "/partition/tiger/h200", "/events", "/words", "/queue", "/team/research/oak", "/?as-of=12:00"} {
		body := page("vic", path)
		has(t, body, `class="alarm"`, "user:ada broke the glass at ", "and is an admin until ", ": fire")
		if strings.Contains(body, "/do/acknowledge") {
			t.Errorf("%s offers to acknowledge that the glass is broken", path)
		}
	}
}

// That a proposal waits was on no page.
func TestPagesSayThatAProposalWaits(t *testing.T) {
	h, page := people(t, "olga", "adm", "bob")
	h.do(
		core.GrantRole{Subject: user("olga"), Role: fleet.Admin}, core.GrantRole{Subject: user("adm"), Role: fleet.Admin}, core.GrantRole{Subject: user("bob"), Role: fleet.TeamLead, Scope: fleet.Scope{Namespace: "oak"}},
		core.SetMode{Cluster: "tiger", Mode: fleet.Shadow},
	)
	_, err := h.engine.Do(t.Context(), core.Request{
		Command: core.Propose{Command: core.SetMode{Cluster: "tiger", Mode: fleet.Enforce}}, Actor: core.Actor{Name: "user:olga", User: "olga", Principal: user("olga")}, Reason: "it is ready",
	})
	must(t, err)
	has(t, page("adm", "/"), "Proposal 1 waits for a second person: user:olga would ", `href="/do/approve?id=1"`)
	has(t, page("adm", "/queue"), `href="/nodes#banners">1 warning</a>`)
	own := page("olga", "/")
	has(t, own, "Proposal 1, which is your own, waits for a second person.")
	if strings.Contains(own, "/do/approve") {
		t.Error("who proposed is offered to approve it")
	}
	if strings.Contains(page("bob", "/"), "Proposal 1") {
		t.Error("who may not read plans is told of a proposal")
	}
}

// That decisions are halted in a partition was in the status, and on no page.
func TestPagesSayThatAPartitionIsHalted(t *testing.T) {
	h, page := people(t, "vic")
	h.do(core.GrantRole{Subject: user("vic"), Role: fleet.Viewer}, core.HaltPartition{Partition: "tiger/h200", Why: "a rule is broken"})
	has(t, page("vic", "/partition/tiger/h200"), `class="alarm"`, "HALTED in tiger/h200: a rule is broken")
}
