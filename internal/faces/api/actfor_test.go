package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// socketed is the server's own user, as its socket says: here a token stands for the connection.
type socketed struct{}

func (socketed) Identify(r *http.Request) (api.Identity, error) {
	if r.Header.Get("Authorization") != "Bearer "+opsToken {
		return api.Identity{}, api.ErrNotMine
	}
	return api.Identity{User: "local", Operator: true, Principal: fleet.Principal{Kind: fleet.LocalPrincipal, Name: "local"}, Token: "socket"}, nil
}

func (socketed) Find(string) (api.Identity, bool) { return api.Identity{}, false }

// Who acts for a user has that user's rights and no more, also where it came by the socket and did not sign in.
func TestActingForAUserBySocketHasTheUsersRights(t *testing.T) {
	tokens, err := api.ParseTokens(strings.NewReader(fmt.Sprintf("- {token_sha256: %s, user: ada, namespaces: [oak]}\n", sumOf(adaToken))))
	must(t, err)
	h := open(t, func(o *api.Options) { o.Auth = api.SignIns{socketed{}, tokens} })
	h.Client = h.as(opsToken, "")
	_, err = h.Fleet.Apply(t.Context(), furniture())
	must(t, err)
	forAda := h.as(opsToken, "ada")
	_, err = forAda.Workloads.Submit(t.Context(), in("oak", "hers", "mid"))
	must(t, err)
	_, err = forAda.Workloads.Submit(t.Context(), in("birch", "theirs", "mid"))
	equal(t, "another namespace", client.Refused(err, client.AccessDenied), true)
	_, err = forAda.Workloads.Submit(t.Context(), &musterv1.SubmitRequest{Spec: gang("closed", "research/oak", 1)})
	equal(t, "a quota without a list", client.Refused(err, client.AccessDenied), true)
	_, err = h.Client.Workloads.Submit(t.Context(), &musterv1.SubmitRequest{Spec: gang("secret-plan", "research/oak", 1)})
	must(t, err)
	_, err = forAda.Workloads.GetWorkload(t.Context(), &musterv1.GetWorkloadRequest{Namespace: "oak", Name: "secret-plan"})
	must(t, err) // of her namespace
	_, err = forAda.Workloads.SetPriority(t.Context(), &musterv1.SetPriorityRequest{Namespace: "oak", Name: "hers", Priority: "critical"})
	equal(t, "above her ceiling", client.Refused(err, client.AccessDenied), true)
}
