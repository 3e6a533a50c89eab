package api_test

import (
	"context"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/run/audit"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// quiet is a notifier that delivers nothing.
type quiet struct{}

func (quiet) Status(string) (api.Deliveries, bool)            { return api.Deliveries{}, false }
func (quiet) Secret(*fleet.Subscription) string               { return "0123456789abcdef" }
func (quiet) Test(context.Context, *fleet.Subscription) error { return nil }
func (quiet) Refuses(string) error                            { return nil }

// pathThatLetsIn is the part of a webhook's URL that lets in who knows it.
const pathThatLetsIn = "T0SECRET/B0PATH"

// What lets Muster in at a webhook is shown to callers who may read secrets, and to no other: not
// in the list, in the log, in a stream, nor in what refuses another URL. In the log not even an
// operator finds it.
func TestNobodyReadsTheURLsOfWebhooks(t *testing.T) {
	h := guarded(t, func(o *api.Options) { o.Notifier = quiet{} })
	hook := func(name, url string) error {
		_, err := h.Subscriptions.Subscribe(t.Context(), &musterv1.SubscribeRequest{Subscription: &musterv1.Subscription{Name: name, Url: url}})
		return err
	}
	must(t, hook("ops", "https://hooks.example.org/"+pathThatLetsIn))
	for _, wrong := range []string{"ftp://hooks.example.org/", "http://hooks.example.org/", "https://ada:pass@hooks.example.org/", "https://%zz/"} {
		err := hook("wrong", wrong+pathThatLetsIn)
		equal(t, wrong+" is refused without its path", err != nil && !strings.Contains(err.Error(), pathThatLetsIn), true)
	}
	_, err := h.Quotas.SetGrant(t.Context(), &musterv1.SetGrantRequest{Quota: "research/oak", Partition: "tiger/h200", Gpus: 40})
	must(t, err) // a last record that all may read
	list, err := h.Subscriptions.ListSubscriptions(t.Context(), &musterv1.ListSubscriptionsRequest{})
	must(t, err)
	equal(t, "an operator reads it in the list", strings.Contains(list.String(), pathThatLetsIn), true)
	for who, c := range map[string]*client.Client{"bob": h.as(bobToken, ""), "an operator": h.Client} {
		for what, ask := range map[string]*musterv1.ListEventsRequest{
			"the log": {From: 1, Limit: 1000}, "its end": {Limit: 1000}, "one kind": {From: 1, Kinds: []string{"subscription"}},
			"what is about it": {From: 1, About: pathThatLetsIn}, "what is about its name": {From: 1, About: "ops"},
		} {
			events, err := c.Events.ListEvents(t.Context(), ask)
			must(t, err)
			equal(t, who+" reads it in "+what, strings.Contains(events.String(), pathThatLetsIn), false)
		}
		stream, err := c.Events.Watch(t.Context(), &musterv1.WatchRequest{From: 1})
		must(t, err)
		for stream.Receive() {
			record := stream.Msg().GetRecord()
			equal(t, who+" reads it in the stream", strings.Contains(record.String(), pathThatLetsIn), false)
			if record.GetSeq() == h.version() {
				break
			}
		}
		must(t, stream.Close())
	}
	mine, err := h.as(bobToken, "").Subscriptions.ListSubscriptions(t.Context(), &musterv1.ListSubscriptionsRequest{})
	must(t, err)
	equal(t, "bob reads where it is", strings.Contains(mine.String(), "https://hooks.example.org"), true)
	equal(t, "bob reads no more", strings.Contains(mine.String(), pathThatLetsIn), false)
	equal(t, "the server's log", strings.Contains(h.log.String(), pathThatLetsIn), false)
}

// Who reads what webhooks are signed with stands in the audit log, and who may not read it, too.
func TestReadingASecretLeavesARecord(t *testing.T) {
	log, err := audit.Open(t.TempDir(), nil)
	must(t, err)
	h := guarded(t, func(o *api.Options) { o.Notifier, o.Audit = quiet{}, recorded{log} })
	_, err = h.Subscriptions.Subscribe(t.Context(), &musterv1.SubscribeRequest{Subscription: &musterv1.Subscription{Name: "ops", Url: "https://hooks.example.org/x"}})
	must(t, err)
	_, err = h.as(opsToken, "").Subscriptions.GetSecret(t.Context(), &musterv1.GetSecretRequest{Name: "ops"})
	must(t, err)
	_, err = h.as(bobToken, "").Subscriptions.GetSecret(t.Context(), &musterv1.GetSecretRequest{Name: "ops"})
	equal(t, "bob", client.NotAllowed(err), true)
	list, _, err := log.Entries(1, 1000)
	must(t, err)
	found := ""
	for _, e := range list {
		if e.Kind == audit.SecretRead || e.Kind == audit.Denied {
			found += string(e.Kind) + " " + e.Actor + "; "
			equal(t, "its source", strings.HasPrefix(e.Source, "127.0.0.1:"), true)
		}
		equal(t, "the secret is nowhere", strings.Contains(e.Text, quiet{}.Secret(nil)), false)
	}
	equal(t, "records", found, "secret-read operator:ops; denied user:bob; ")
}
