package api_test

import (
	"context"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/run/audit"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// rotated is after how long a token that was rotated is good no more.
const rotated = time.Hour

// recorded is an audit log without a journal to prove.
type recorded struct{ *audit.Log }

func (r recorded) Verify(context.Context) (audit.Proof, error) {
	return r.Prove(audit.Start{}, func(func(uint64, int64, []byte) error) error { return nil })
}

// withAccounts is a furnished house of its own user with service accounts.
func withAccounts(t *testing.T) *house {
	t.Helper()
	var h *house
	local, err := api.NewLocal()
	must(t, err)
	tokens := api.NewServiceTokens(func(fn func(*fleet.State)) { h.engine.Look(fn) }, func() time.Time { return time.Unix(0, h.clock.Load()) })
	h = furnishedLate(t, &h, api.SignIns{tokens, local}, tokens)
	return h
}

func furnishedLate(t *testing.T, h **house, auth api.Authenticator, tokens *api.ServiceTokens) *house {
	t.Helper()
	*h = open(t, func(o *api.Options) { o.Auth, o.Tokens = auth, tokens })
	_, err := (*h).Fleet.Apply(t.Context(), furniture())
	must(t, err)
	return *h
}
