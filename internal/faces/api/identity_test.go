package api_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/api"
)

func sumOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// guarded is a house with tokens: ops is an operator, ada is in group post, bob has no role.
func guarded(t *testing.T, edit ...func(*api.Options)) *house {
	t.Helper()
	tokens, err := api.ParseTokens(strings.NewReader(fmt.Sprintf(`
- {token_sha256: %s, user: ops, operator: true}
- {token_sha256: %s, user: ada, groups: [post], namespaces: [oak]}
- {token_sha256: %s, user: bob, namespaces: [oak]}
`, sumOf("ops-token-0123456789abcdef"), sumOf("ada-token-0123456789abcdef"), sumOf("bob-token-0123456789abcdef"))))
	must(t, err)
	h := open(t, append(edit, func(o *api.Options) { o.Auth = tokens })...)
	h.Client = h.as("ops-token-0123456789abcdef", "")
	_, err = h.Fleet.Apply(t.Context(), furniture())
	must(t, err)
	_, err = h.Quotas.SetAccess(t.Context(), &musterv1.SetAccessRequest{Path: "research/oak", Access: &musterv1.Access{Groups: []string{"post"}}})
	must(t, err)
	return h
}

func TestATokenNamesItsUser(t *testing.T) {
	h := guarded(t)
	for token, actor := range map[string]string{"ops-token-0123456789abcdef": "operator:ops", "ada-token-0123456789abcdef": "user:ada", "bob-token-0123456789abcdef": "user:bob"} {
		s, err := h.as(token, "").System.Status(t.Context(), &musterv1.StatusRequest{})
		must(t, err)
		equal(t, token, s.GetActor(), actor)
	}
	for what, token := range map[string]string{"no token": "", "an unknown token": "guess-0123456789abcdefgh", "the hash of a token": sumOf("ops-token-0123456789abcdef")} {
		_, err := h.as(token, "").System.Status(t.Context(), &musterv1.StatusRequest{})
		equal(t, what, connect.CodeOf(err), connect.CodeUnauthenticated)
		equal(t, what+": not allowed", client.NotAllowed(err), true)
	}
}

func TestAccessListsKnowTheUsersGroups(t *testing.T) {
	h := guarded(t)
	_, err := h.as("ada-token-0123456789abcdef", "").Workloads.Submit(t.Context(), &musterv1.SubmitRequest{Spec: gang("hers", "research/oak", 1)})
	must(t, err)
	_, err = h.as("bob-token-0123456789abcdef", "").Workloads.Submit(t.Context(), &musterv1.SubmitRequest{Spec: gang("his", "research/oak", 1)})
	equal(t, "bob: refused", client.Refused(err, client.AccessDenied), true)
	equal(t, "bob: code of the protocol", connect.CodeOf(err), connect.CodePermissionDenied)
	_, err = h.as("bob-token-0123456789abcdef", "").Workloads.Cancel(t.Context(), &musterv1.CancelRequest{Namespace: "oak", Name: "hers"})
	equal(t, "bob cancels hers", client.Refused(err, client.AccessDenied), true)
	_, err = h.as("ada-token-0123456789abcdef", "").Fleet.AddCluster(t.Context(), &musterv1.AddClusterRequest{Name: "lion"})
	equal(t, "ada adds a cluster", client.Refused(err, client.NotOperator), true)
}

func TestOnlyOperatorsActForOthers(t *testing.T) {
	h := guarded(t)
	_, err := h.as("ops-token-0123456789abcdef", "ada").Workloads.Submit(t.Context(), &musterv1.SubmitRequest{Spec: gang("hers", "research/oak", 1)})
	must(t, err)
	w := workloadNamed(t, h, "hers")
	equal(t, "whose it is", w.GetUser(), "ada")
	last, err := h.Events.ListEvents(t.Context(), &musterv1.ListEventsRequest{Limit: 1})
	must(t, err)
	equal(t, "who did it", last.GetRecords()[0].GetActor(), "operator:ops for user:ada")

	_, err = h.as("ops-token-0123456789abcdef", "bob").Workloads.Submit(t.Context(), &musterv1.SubmitRequest{Spec: gang("his", "research/oak", 1)})
	equal(t, "for bob, who may not", client.Refused(err, client.AccessDenied), true)
	_, err = h.as("ops-token-0123456789abcdef", "bob").Fleet.AddCluster(t.Context(), &musterv1.AddClusterRequest{Name: "lion"})
	equal(t, "for bob, with an operator's rights", client.Refused(err, client.NotOperator), true)
	_, err = h.as("bob-token-0123456789abcdef", "ada").System.Status(t.Context(), &musterv1.StatusRequest{})
	equal(t, "bob acts for ada", client.Refused(err, client.NotOperator), true)
	_, err = h.as("bob-token-0123456789abcdef", "bob").System.Status(t.Context(), &musterv1.StatusRequest{})
	must(t, err)
	_, err = h.as("ops-token-0123456789abcdef", "two words").System.Status(t.Context(), &musterv1.StatusRequest{})
	wantMistake(t, err, "Muster-As", "name of a user")
}

// One key of two users is two keys: the second command is done, and neither refused nor answered as the first was.
func TestAKeyBelongsToItsUser(t *testing.T) {
	h := guarded(t)
	ask := &musterv1.SubmitRequest{Write: &musterv1.Write{IdempotencyKey: "k"}, Spec: gang("a", "flex", 1)}
	_, err := h.as("ada-token-0123456789abcdef", "").Workloads.Submit(t.Context(), ask)
	must(t, err)
	his := &musterv1.SubmitRequest{Write: &musterv1.Write{IdempotencyKey: "k"}, Spec: gang("b", "flex", 1)}
	res, err := h.as("bob-token-0123456789abcdef", "").Workloads.Submit(t.Context(), his)
	must(t, err)
	equal(t, "bob's own is done", !res.GetWritten().GetRepeat() && workloadNamed(t, h, "b").GetUser() == "bob", true)
}

func TestOnLoopbackTheUserIsAnOperator(t *testing.T) {
	me, err := user.Current()
	must(t, err)
	h := open(t)
	s, err := h.System.Status(t.Context(), &musterv1.StatusRequest{})
	must(t, err)
	equal(t, "actor", s.GetActor(), "operator:"+me.Username)
	equal(t, "operator", s.GetOperator(), true)
}

// A page of another site, open in a browser of this machine, is not this machine's user.
func TestOnLoopbackPagesFromElsewhereAreRefused(t *testing.T) {
	h := open(t)
	cases := []struct {
		what, header, value string
		status              int
	}{
		{"a page from elsewhere", "Origin", "https://example.org", http.StatusUnauthorized},
		{"a page that names itself null", "Origin", "null", http.StatusUnauthorized},
		{"a page of this machine", "Origin", "http://localhost:6878", http.StatusOK},
		{"a name that leads here by a trick", "Host", "example.org:80", http.StatusUnauthorized},
		{"the name localhost", "Host", "localhost:80", http.StatusOK},
		{"IPv6", "Host", "[::1]:80", http.StatusOK},
	}
	for _, c := range cases {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+"/muster.v1.SystemService/Status", strings.NewReader("{}"))
		must(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set(c.header, c.value)
		if c.header == "Host" {
			r.Host = c.value
		}
		answer, err := http.DefaultClient.Do(r)
		must(t, err)
		must(t, answer.Body.Close())
		equal(t, c.what, answer.StatusCode, c.status)
	}
}

func TestTokensFilesAreReadStrictly(t *testing.T) {
	good := sumOf("x")
	cases := []struct{ what, text, says string }{
		{"nothing", "", "no tokens"},
		{"a list without entries", "[]", "no tokens"},
		{"an unknown key", "- {token_sha256: " + good + ", user: ada, admin: true}", "admin"},
		{"a token instead of its hash", "- {token_sha256: secret, user: ada}", "sha256sum"},
		{"no user", "- {token_sha256: " + good + "}", "user"},
		{"a user with a space", "- {token_sha256: " + good + ", user: a b}", `"a b"`},
		{"a token of two users", "- {token_sha256: " + good + ", user: ada}\n- {token_sha256: " + good + ", user: bob}", "tokens.yaml:2: the token of bob"},
		{"a map", "user: ada", "list"},
		{"two mistakes", "- {token_sha256: " + good + ", user: a b}\n- {user: bob}", "tokens.yaml:2: \"token_sha256\" is missing"},
		{"an operator by another word", "- {token_sha256: " + good + ", user: ada, operator: maybe}", "true or false"},
		{"no YAML", "- {", "is no YAML"},
	}
	for _, c := range cases {
		_, err := api.ParseTokens(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an error with %q", c.what, err, c.says)
		}
	}
	path := filepath.Join(t.TempDir(), "tokens.json")
	must(t, os.WriteFile(path, []byte(`[{"token_sha256": "`+good+`", "user": 4711, "groups": ["post"], "namespaces": null, "operator": false}]`), 0o600))
	_, err := api.ReadTokensFile(path)
	must(t, err)
	_, err = api.ReadTokensFile(path + ".gone")
	if err == nil || !strings.Contains(err.Error(), "tokens.json.gone") {
		t.Errorf("a file that is not there: %v, want its name", err)
	}
}
