package api_test

import (
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// Quotas are open to everybody known, as docs/security.md says: a person without a role and without a place on its
// access list reads who answers for a quota, the list, its holds, and what others ask of it.
func TestQuotasAreOpenToEverybodyKnown(t *testing.T) {
	h := guarded(t)
	_, err := h.Quotas.SetOwner(t.Context(), &musterv1.SetOwnerRequest{Path: "research/oak", Owner: "ada"})
	must(t, err)
	_, err = h.Quotas.PlaceHold(t.Context(), &musterv1.PlaceHoldRequest{
		Quota: "research/oak", Partition: "tiger/h200", Gpus: 8, User: "ada", Until: timestamppb.New(noon.Add(24 * time.Hour)),
	})
	must(t, err)
	_, err = h.as("ada-token-0123456789abcdef", "").Requests.Ask(t.Context(), &musterv1.AskRequest{Quota: "research/oak", Partition: "tiger/h200", Gpus: 8})
	must(t, err)

	bob := h.as("bob-token-0123456789abcdef", "")
	got, err := bob.Quotas.GetQuota(t.Context(), &musterv1.GetQuotaRequest{Path: "research/oak"})
	must(t, err)
	equal(t, "its owner", got.GetQuota().GetOwner(), "ada")
	equal(t, "groups of its list", len(got.GetQuota().GetAccess().GetGroups()), 1)
	equal(t, "its holds", len(got.GetQuota().GetHolds()), 1)
	equal(t, "whom the hold is for", got.GetQuota().GetHolds()[0].GetUser(), "ada")
	asked, err := bob.Requests.ListRequests(t.Context(), &musterv1.ListRequestsRequest{})
	must(t, err)
	equal(t, "requests", len(asked.GetRequests()), 1)
	equal(t, "who asked", asked.GetRequests()[0].GetBy(), "user:ada")
}
