package api_test

import (
	"strings"
	"testing"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// The author of a workload is shown to those who may read the workload and to no others, and it gives no right.
func TestTheAuthorIsShownWithTheWorkloadOnly(t *testing.T) {
	h := guarded(t)
	_, err := h.engine.Do(t.Context(), core.Request{Actor: core.Reporter, Command: core.Submit{Spec: fleet.Spec{
		Name: "train", Namespace: "elm@tiger", Target: fleet.Flex, Priority: fleet.Mid, Author: "ada",
		Pools: []fleet.Pool{{Name: "main", GPUs: 8, Min: 1, Max: 1, Reach: fleet.ReachIsland}},
	}}})
	must(t, err)
	why, err := h.Workloads.Why(t.Context(), &musterv1.WhyRequest{Namespace: "elm@tiger", Name: "train", History: true})
	must(t, err)
	equal(t, "the author, to an operator", why.GetWorkload().GetAuthor(), "ada")
	equal(t, "the story", strings.Contains(why.GetHistory()[0].GetText(), "made by ada"), true)
	log, err := h.Events.ListEvents(t.Context(), &musterv1.ListEventsRequest{Kinds: []string{"workload.submitted"}})
	must(t, err)
	equal(t, "the log, to an operator", strings.Contains(log.String(), "ada"), true)

	for _, token := range []string{adaToken, bobToken} {
		_, err = h.as(token, "").Workloads.Why(t.Context(), &musterv1.WhyRequest{Namespace: "elm@tiger", Name: "train"})
		equal(t, "why, to others", client.Refused(err, client.AccessDenied), true)
		_, err = h.as(token, "").Workloads.Cancel(t.Context(), &musterv1.CancelRequest{Namespace: "elm@tiger", Name: "train"})
		equal(t, "cancelled by others", client.Refused(err, client.AccessDenied), true)
		log, err = h.as(token, "").Events.ListEvents(t.Context(), &musterv1.ListEventsRequest{Kinds: []string{"workload.submitted"}})
		must(t, err)
		equal(t, "the log, to others", strings.Contains(log.String(), "train"), false)
	}
}
