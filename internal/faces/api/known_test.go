package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// A namespace that others alone have is refused in the words for one that there is not, and is not proposed. One's
// own is known before it has work, and so is one that a quota names.
func TestAHiddenNamespaceIsRefusedAsNone(t *testing.T) {
	h := aviary(t)
	list := func(token, namespace string) error {
		_, err := h.as(token, "").Workloads.ListWorkloads(t.Context(), &musterv1.ListWorkloadsRequest{Namespace: namespace})
		return err
	}
	refused := func(namespace string) string {
		err := list(eveToken, namespace)
		equal(t, namespace+" is refused", client.Refused(err, client.NoSuchNamespace), true)
		return strings.ReplaceAll(fmt.Sprint(err), namespace, "NAME")
	}
	equal(t, "a hidden namespace and none", refused("kestrel"), refused("nonesuch"))
	if text := refused("kestrell"); strings.Contains(text, "did you mean") {
		t.Errorf("a hidden namespace is proposed: %s", text)
	}
	must(t, list(merlinToken, "kestrel"))
	must(t, list(eveToken, "elm"))
	must(t, list(eveToken, "eve"))
	_, err := h.Quotas.SetAccess(t.Context(), &musterv1.SetAccessRequest{Write: &musterv1.Write{Reason: "a team"}, Path: "research/elm", Access: &musterv1.Access{Groups: []string{"trees"}, Namespaces: []string{"beech"}}})
	must(t, err)
	must(t, list(eveToken, "beech"))
}

// Every list refuses a quota, a partition or a cluster that there is not.
func TestAListOfAnUnknownNameIsRefused(t *testing.T) {
	h := aviary(t)
	c := h.as(eveToken, "")
	for what, ask := range map[string]func(name string) error{
		client.NoSuchQuota + " of requests": func(name string) error {
			_, err := c.Requests.ListRequests(t.Context(), &musterv1.ListRequestsRequest{Quota: name})
			return err
		},
		client.NoSuchQuota + " of waiting": func(name string) error {
			_, err := c.Past.Waiting(t.Context(), &musterv1.WaitingRequest{Quota: name})
			return err
		},
		client.NoSuchQuota + " of use": func(name string) error {
			_, err := c.Past.QuotaUse(t.Context(), &musterv1.QuotaUseRequest{Quota: name})
			return err
		},
		client.NoSuchQuota + " of history": func(name string) error {
			_, err := c.Quotas.History(t.Context(), &musterv1.HistoryRequest{Quota: name})
			return err
		},
		client.NoSuchPartition + " of history": func(name string) error {
			_, err := c.Quotas.History(t.Context(), &musterv1.HistoryRequest{Partition: "tiger/" + name})
			return err
		},
		client.NoSuchPartition + " of work": func(name string) error {
			_, err := c.Workloads.ListWorkloads(t.Context(), &musterv1.ListWorkloadsRequest{Partition: "tiger/" + name})
			return err
		},
		client.NoSuchPartition + " of an outlook": func(name string) error {
			_, err := c.Past.FlexOutlook(t.Context(), &musterv1.FlexOutlookRequest{Asks: []*musterv1.FlexAsk{{Partition: "tiger/" + name, Gpus: 8}}})
			return err
		},
		client.NoSuchCluster + " of targets": func(name string) error {
			_, err := c.Past.Targets(t.Context(), &musterv1.TargetsRequest{Cluster: name})
			return err
		},
		client.NoSuchCluster + " of waiting": func(name string) error {
			_, err := c.Past.Waiting(t.Context(), &musterv1.WaitingRequest{Cluster: name})
			return err
		},
	} {
		code, _, _ := strings.Cut(what, " ")
		if err := ask("nonesuch"); !client.Refused(err, code) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
