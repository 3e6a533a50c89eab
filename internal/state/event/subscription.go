package event

import "github.com/muster-fleet/muster/internal/state/fleet"

// SubscriptionSet says: somebody wants to be told of some things, at a URL.
type SubscriptionSet struct {
	Subscription fleet.Subscription `json:"subscription"`
}

// SubscriptionEnded says: nobody wants to be told any more.
type SubscriptionEnded struct {
	Name string `json:"name"`
}

func (SubscriptionSet) Kind() string   { return "subscription.set" }   // Kind is the event's stable name.
func (SubscriptionEnded) Kind() string { return "subscription.ended" } // Kind is the event's stable name.
