package api_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// often has streams ask anew all the time.
func often(o *api.Options) { o.Recheck = 5 * time.Millisecond }

// followed is what ends an open stream of a caller, after something was done.
func (h *house) followed(token string, do func()) error {
	h.t.Helper()
	ctx, end := context.WithTimeout(h.t.Context(), 20*time.Second)
	defer end()
	stream, err := h.as(token, "").Events.Watch(ctx, &musterv1.WatchRequest{From: h.version() + 1})
	must(h.t, err)
	defer func() { _ = stream.Close() }()
	do()
	for stream.Receive() {
	}
	return stream.Err()
}

// A person who is taken out of the tokens file is refused on open streams, too.
func TestARemovedPersonsStreamEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.yaml")
	line := func(token, rest string) string {
		return fmt.Sprintf("- {token_sha256: %s, %s}\n", sumOf(token), rest)
	}
	all := line(opsToken, "user: ops, operator: true")
	must(t, os.WriteFile(path, []byte(all+line(bobToken, "user: bob")), 0o600))
	f, err := api.OpenTokensFile(path, nil)
	must(t, err)
	h := open(t, often, func(o *api.Options) { o.Auth = f })
	err = h.followed(bobToken, func() {
		must(t, os.WriteFile(path, []byte(all), 0o600))
		f.LookNow()
	})
	equal(t, "bob's stream", connect.CodeOf(err), connect.CodeUnauthenticated)
	_, err = h.as(bobToken, "").System.Version(t.Context(), &musterv1.VersionRequest{})
	equal(t, "bob's next call", connect.CodeOf(err), connect.CodeUnauthenticated)
}

// A token that is revoked ends the streams that it opened.
func TestARevokedTokensStreamEnds(t *testing.T) {
	tokens := func(h **house) *api.ServiceTokens {
		return api.NewServiceTokens(func(fn func(*fleet.State)) { (*h).engine.Look(fn) }, func() time.Time { return noon })
	}
	var h *house
	h = open(t, often, func(o *api.Options) { o.Auth = api.SignIns{tokens(&h)} })
	secret := "muster_dcgm_0123456789abcdefghijklmnopqrstuvwxyz"
	do := func(c core.Command) {
		t.Helper()
		_, err := h.engine.Do(t.Context(), core.Request{Command: c, Actor: core.System, Reason: "the story"})
		must(t, err)
	}
	do(core.MakeToken{ID: "dcgm", Account: "dcgm", SHA256: sumOf(secret), Until: fleet.InstantOf(noon.Add(time.Hour))})
	err := h.followed(secret, func() { do(core.RevokeToken{ID: "dcgm"}) })
	equal(t, "its stream", connect.CodeOf(err), connect.CodeUnauthenticated)
}

// A role that is revoked has the stream that it reached come again, without what it showed.
func TestARevokedRoleEndsWhatAStreamShows(t *testing.T) {
	h := guarded(t, often)
	role := &musterv1.RoleBinding{Subject: "user:bob", Role: "viewer"}
	_, err := h.Access.GrantRole(t.Context(), &musterv1.GrantRoleRequest{Write: &musterv1.Write{Reason: "he looks"}, Binding: role})
	must(t, err)
	err = h.followed(bobToken, func() {
		_, err := h.Access.RevokeRole(t.Context(), &musterv1.RevokeRoleRequest{Write: &musterv1.Write{Reason: "he left"}, Binding: role})
		must(t, err)
	})
	equal(t, "bob's stream", connect.CodeOf(err), connect.CodeUnavailable)
	if err == nil || !strings.Contains(err.Error(), "watch again") {
		t.Errorf("it says %v", err)
	}
}

// A person's sign-ins are listed, to themselves and to auditors; one that is ended is refused at
// once, with its streams, and the person can sign in again.
func TestASignInIsEnded(t *testing.T) {
	p := newProvider(t)
	tokens, err := api.ParseTokens(strings.NewReader("- {token_sha256: " + sumOf(opsToken) + ", user: ops, operator: true}"))
	must(t, err)
	h := open(t, often, func(o *api.Options) {
		o.Auth = api.SignIns{api.NewOIDC(api.OIDCOptions{Issuer: p.http.URL, ClientID: "muster", Now: func() time.Time { return noon }}), tokens}
	})
	ops, ada, ctx := h.as(opsToken, ""), p.token(nil), t.Context()
	bob := p.token(map[string]any{"email": "bob@example.com", "sub": "u-2"})
	for _, token := range []string{ada, bob} {
		_, err := h.as(token, "").System.Version(ctx, &musterv1.VersionRequest{})
		must(t, err)
	}
	for token, want := range map[string]int{opsToken: 3, ada: 1, bob: 1} {
		list, err := h.as(token, "").Access.ListSessions(ctx, &musterv1.ListSessionsRequest{})
		must(t, err)
		equal(t, "sign-ins that are shown", len(list.GetSessions()), want)
	}
	_, err = h.as(bob, "").Access.EndSessions(ctx, &musterv1.EndSessionsRequest{User: "ada@example.com"})
	equal(t, "bob ends ada's", connect.CodeOf(err), connect.CodePermissionDenied)
	err = h.followed(ada, func() {
		_, err := ops.Access.EndSessions(ctx, &musterv1.EndSessionsRequest{Write: &musterv1.Write{Reason: "a stolen laptop"}, User: "ada@example.com"})
		must(t, err)
	})
	equal(t, "her stream", connect.CodeOf(err), connect.CodeUnauthenticated)
	_, err = h.as(ada, "").System.Version(ctx, &musterv1.VersionRequest{})
	equal(t, "her next call", connect.CodeOf(err), connect.CodeUnauthenticated)
	_, err = h.as(bob, "").System.Version(ctx, &musterv1.VersionRequest{})
	must(t, err)
	list, err := ops.Access.ListSessions(ctx, &musterv1.ListSessionsRequest{User: "ada@example.com"})
	must(t, err)
	equal(t, "hers that are good", len(list.GetSessions()), 0)
	_, err = h.as(p.token(map[string]any{"iat": noon.Add(2 * time.Second).Unix()}), "").System.Version(ctx, &musterv1.VersionRequest{})
	must(t, err) // she signed in again
}
