package wire

import (
	"encoding/json"
	"net/url"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/state/event"
)

// Site is the host of a URL, and no more: the rest of a webhook's is often what lets one in.
func Site(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// Events are facts as messages. Of a webhook's URL they name the host alone.
func Events(list []event.Event) ([]*musterv1.Event, error) {
	out := make([]*musterv1.Event, len(list))
	for i, e := range list {
		if set, is := e.(event.SubscriptionSet); is {
			set.Subscription.URL = Site(set.Subscription.URL)
			e = set
		}
		data, err := json.Marshal(e)
		if err != nil {
			return nil, err
		}
		out[i] = &musterv1.Event{Kind: e.Kind(), Data: string(data)}
	}
	return out, nil
}

// Record is one record of the log. It fails only where an event is no JSON.
func Record(r event.Record) (*musterv1.Record, error) {
	list, err := Events(r.Events)
	return &musterv1.Record{Seq: r.Seq, At: Instant(r.At), Actor: r.Actor, Reason: r.Reason, Events: list}, err
}
