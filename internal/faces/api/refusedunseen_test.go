package api_test

import (
	"fmt"
	"strings"
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/api"
)

// Why the work of one person was refused is told to that person and to no other who asks by its name.
func TestWhyAnothersWorkWasRefusedIsNotTold(t *testing.T) {
	tokens, err := api.ParseTokens(strings.NewReader(fmt.Sprintf(`
- {token_sha256: %s, user: ops, operator: true}
- {token_sha256: %s, user: ada, namespaces: [oak]}
- {token_sha256: %s, user: eve, namespaces: [elm]}
`, sumOf("ops-token-0123456789abcdef"), sumOf(adaToken), sumOf("eve-token-0123456789abcdef"))))
	must(t, err)
	h := open(t, func(o *api.Options) { o.Auth = tokens })
	h.Client = h.as("ops-token-0123456789abcdef", "")
	_, err = h.Fleet.Apply(t.Context(), furniture())
	must(t, err)
	spec := gang("secret", "research/none", 1)
	spec.Namespace = "oak"
	_, err = h.as(adaToken, "").Workloads.Submit(t.Context(), &musterv1.SubmitRequest{Spec: spec})
	if err == nil {
		t.Fatal("a quota that is not there takes work")
	}
	told := func(token string) string {
		_, err := h.as(token, "").Workloads.Why(t.Context(), &musterv1.WhyRequest{Namespace: "oak", Name: "secret"})
		if err == nil {
			t.Fatal("work that was refused is there")
		}
		return err.Error()
	}
	if text := told(adaToken); !strings.Contains(text, "research/none") {
		t.Errorf("its own person is told: %s", text)
	}
	if text := told("eve-token-0123456789abcdef"); strings.Contains(text, "research/none") {
		t.Errorf("another is told: %s", text)
	}
}
