package event

import "github.com/muster-fleet/muster/internal/state/fleet"

// RequestMade says: a person asks for more quota, or to be let into one.
type RequestMade struct {
	Request fleet.QuotaRequest `json:"request"`
}

// RequestOffered says: a quota's owner agrees to give GPUs for a request.
type RequestOffered struct {
	ID    uint64      `json:"id"`
	Offer fleet.Offer `json:"offer"`
}

// RequestEnded says: what came of a request. The grants and the access list that
// it changed follow as events of their own in the same record.
type RequestEnded struct {
	ID     uint64             `json:"id"`
	State  fleet.RequestState `json:"state"`
	By     string             `json:"by"`
	Answer string             `json:"answer,omitempty"`
}

func (RequestMade) Kind() string    { return "request.made" }    // Kind is the event's stable name.
func (RequestOffered) Kind() string { return "request.offered" } // Kind is the event's stable name.
func (RequestEnded) Kind() string   { return "request.ended" }   // Kind is the event's stable name.

// SubscriptionSet says: a person or a team wants to be told of some things, at a URL.
type SubscriptionSet struct {
	Subscription fleet.Subscription `json:"subscription"`
}

// SubscriptionEnded says: the subscriber wants no more notices.
type SubscriptionEnded struct {
	Name string `json:"name"`
}

func (SubscriptionSet) Kind() string   { return "subscription.set" }   // Kind is the event's stable name.
func (SubscriptionEnded) Kind() string { return "subscription.ended" } // Kind is the event's stable name.

// WarningAcknowledged says: a person has seen a warning, until when that is enough,
// and why.
type WarningAcknowledged struct {
	fleet.Acknowledgement
}

func (WarningAcknowledged) Kind() string { return "warning.acknowledged" } // Kind is the event's stable name.
