package api_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// What is said of a quota without an access list is what a submission to it meets: where people sign
// in it is closed, and elsewhere it is open.
func TestAQuotaWithoutAListIsShownAsItIs(t *testing.T) {
	for _, signIn := range []bool{false, true} {
		h := open(t)
		reader := h.Client
		if signIn {
			h = guarded(t)
			reader = h.as(adaToken, "")
		} else {
			_, err := h.Fleet.Apply(t.Context(), furniture())
			must(t, err)
		}
		set, err := h.Quotas.SetAccess(t.Context(), &musterv1.SetAccessRequest{Path: "research/oak", Access: &musterv1.Access{}})
		must(t, err)
		equal(t, "the note of who took the list away", strings.Contains(strings.Join(set.GetWritten().GetNotes(), " "), "closed where people sign in"), signIn)
		q, err := reader.Quotas.GetQuota(t.Context(), &musterv1.GetQuotaRequest{Path: "research/oak"})
		must(t, err)
		equal(t, "open", q.GetQuota().GetOpen(), !signIn)
		equal(t, "closed", q.GetQuota().GetClosed(), signIn)
		u, err := reader.Capacity.Usable(t.Context(), &musterv1.UsableRequest{Namespace: "oak"})
		must(t, err)
		equal(t, "usable", slices.ContainsFunc(u.GetQuotas(), func(q *musterv1.UsableQuota) bool { return q.GetQuota() == "research/oak" }), !signIn)
		u, err = reader.Capacity.Usable(t.Context(), &musterv1.UsableRequest{Namespace: "oak", All: true})
		must(t, err)
		equal(t, "closed among all", u.GetQuotas()[0].GetClosed(), signIn)
		_, err = reader.Workloads.Submit(t.Context(), &musterv1.SubmitRequest{Spec: gang("train", "research/oak", 1)})
		equal(t, "a submission is refused", client.Refused(err, client.AccessDenied), signIn)
		fit, err := reader.Workloads.Fit(t.Context(), &musterv1.FitRequest{Spec: shape("")})
		must(t, err)
		equal(t, "a fit tries it", slices.ContainsFunc(fit.GetPlaces(), func(p *musterv1.Place) bool { return p.GetTarget() == "research/oak" }), !signIn)
		_, err = reader.Workloads.Fit(t.Context(), &musterv1.FitRequest{Spec: shape("research/oak")})
		equal(t, "a fit there is refused", client.Refused(err, client.AccessDenied), signIn)
		_, err = reader.Requests.Ask(t.Context(), &musterv1.AskRequest{Quota: "research/oak", Access: &musterv1.Access{Users: []string{"ada"}}})
		equal(t, "there is nothing to ask for", client.Refused(err, client.NothingToDo), !signIn)
	}
}

// Of others' work a list says how much there is, as the figures do, and never of whom.
func TestAListCountsTheWorkThatItsReaderMayNotRead(t *testing.T) {
	h := guarded(t)
	for _, name := range []string{"one", "two", "three"} {
		_, err := h.as(adaToken, "").Workloads.Submit(t.Context(), in("ada", name, "mid"))
		must(t, err)
	}
	bob := h.as(bobToken, "")
	_, err := bob.Workloads.Submit(t.Context(), in("bob", "own", "mid"))
	must(t, err)
	for _, c := range []struct {
		by     *client.Client
		ask    *musterv1.ListWorkloadsRequest
		own    int
		others int32
	}{
		{bob, &musterv1.ListWorkloadsRequest{}, 1, 3},
		{bob, &musterv1.ListWorkloadsRequest{Target: "flex", Partition: "tiger/h200"}, 1, 3},
		{bob, &musterv1.ListWorkloadsRequest{Target: "research/oak"}, 0, 0},
		{bob, &musterv1.ListWorkloadsRequest{States: []string{"failed"}}, 0, 0},
		{bob, &musterv1.ListWorkloadsRequest{NewestFirst: true}, 1, 3},
		{bob, &musterv1.ListWorkloadsRequest{User: "ada"}, 0, 0},
		{bob, &musterv1.ListWorkloadsRequest{Namespace: "bob"}, 1, 0},
		{bob, &musterv1.ListWorkloadsRequest{From: 1}, 1, 0},
		{h.Client, &musterv1.ListWorkloadsRequest{}, 4, 0},
	} {
		list, err := c.by.Workloads.ListWorkloads(t.Context(), c.ask)
		must(t, err)
		equal(t, c.ask.String()+": those listed", len(list.GetWorkloads()), c.own)
		equal(t, c.ask.String()+": others", list.GetOthers(), c.others)
	}
}

// shape is a gang of one node, as a fit asks for it.
func shape(target string) *musterv1.FitSpec {
	return &musterv1.FitSpec{Namespace: "oak", Target: target, Pools: gang("", "", 1).GetPools()}
}
