package event

import (
	"encoding/json"
	"fmt"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Record is what one command wrote: its events in order, who asked, when, and,
// for what people decide, why.
type Record struct {
	Seq         uint64 // from 1, without gaps: the version of the state after it
	At          fleet.Instant
	Actor       string // user:ada, operator:ops for user:ada, driver, muster
	Reason      string
	Key         string // idempotency key, "" for none
	Fingerprint uint64 // of the command that the key belongs to
	Events      []Event
}

// Event is one fact. Kind is its stable name.
type Event interface{ Kind() string }

// heading is what the journal keeps of a record before its events. The sequence number
// and the moment are the journal's own columns, and repeated here so that one line of the
// log can be read by itself.
type heading struct {
	Seq         uint64        `json:"seq"`
	At          fleet.Instant `json:"at"`
	Actor       string        `json:"actor"`
	Reason      string        `json:"reason,omitempty"`
	Key         string        `json:"key,omitempty"`
	Fingerprint uint64        `json:"fp,omitempty"`
}

// envelope is a record as it is read: what is in an event is read once its kind is known.
type envelope struct {
	heading
	Events []typed `json:"events"`
}

type typed struct {
	Kind    string          `json:"kind"`
	Version int             `json:"v"`
	Data    json.RawMessage `json:"data"`
}

// outgoing is a record as it is written, without the detour over raw messages.
type outgoing struct {
	heading
	Events []outgoingEvt `json:"events"`
}

type outgoingEvt struct {
	Kind    string `json:"kind"`
	Version int    `json:"v"`
	Data    Event  `json:"data"`
}

// Encode writes a record as one line of JSON.
func Encode(r Record) ([]byte, error) {
	out := outgoing{heading{r.Seq, r.At, r.Actor, r.Reason, r.Key, r.Fingerprint}, make([]outgoingEvt, len(r.Events))}
	for i, e := range r.Events {
		out.Events[i] = outgoingEvt{e.Kind(), latest[e.Kind()], e}
	}
	data, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("record %d: %w", r.Seq, err)
	}
	return data, nil
}

// Decode reads a record that any version of Encode wrote, packed or not. An event of an
// unknown kind or a newer version is an error: a log is never half understood.
func Decode(data []byte) (Record, error) {
	data, err := Unpack(data)
	if err != nil {
		return Record{}, err
	}
	var in envelope
	if err := json.Unmarshal(data, &in); err != nil {
		return Record{}, fmt.Errorf("record: %w", err)
	}
	r := Record{in.Seq, in.At, in.Actor, in.Reason, in.Key, in.Fingerprint, make([]Event, len(in.Events))}
	for i, t := range in.Events {
		e, err := read(t.Kind, t.Version, t.Data)
		if err != nil {
			return Record{}, fmt.Errorf("record %d: event %d: %w", in.Seq, i+1, err)
		}
		r.Events[i] = e
	}
	return r, nil
}

// Key is the idempotency key of a record that Encode wrote, packed or not; "" for none. Nothing else
// of it is read.
func Key(data []byte) (string, error) {
	data, err := Unpack(data)
	if err != nil {
		return "", err
	}
	var in struct {
		Key string `json:"key"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return "", fmt.Errorf("record: %w", err)
	}
	return in.Key, nil
}
