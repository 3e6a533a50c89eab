package event

import "github.com/muster-fleet/muster/internal/state/fleet"

// RequestMade says: somebody asks for more quota, or to be let into one.
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
