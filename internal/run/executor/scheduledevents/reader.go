package scheduledevents

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Address is where Azure answers on each of its machines.
const Address = "http://169.254.169.254"

// Versions of the two interfaces, and bounds of an answer.
const (
	eventsVersion   = "2020-07-01"
	instanceVersion = "2021-02-01"
	mostAnswer      = 1 << 20 // bytes
	mostEvents      = 1000
)

// The kinds of events.
const (
	Freeze    = "Freeze"    // the machine pauses for seconds
	Reboot    = "Reboot"    // it restarts
	Redeploy  = "Redeploy"  // it moves to other hardware; local disks are lost
	Preempt   = "Preempt"   // a spot machine is taken away
	Terminate = "Terminate" // the machine is deleted
)

// The states of an event.
const (
	Scheduled = "Scheduled"
	Started   = "Started"
)

// Event is something that Azure has planned.
type Event struct {
	ID        string        // EventId
	Kind      string        // EventType: Freeze, Reboot, Redeploy, Preempt or Terminate
	Machines  []string      // Resources: names of the machines that it concerns
	State     string        // EventStatus
	NotBefore time.Time     // zero: it has begun
	Lasts     time.Duration // as Azure estimates it; 0: not said
	Says      string        // Description
}

// Document is all that Azure has planned for machines that share a fate. One of the same
// incarnation is the same document.
type Document struct {
	Incarnation int
	Events      []Event
}

// Of lists the events that concern a machine.
func (d Document) Of(machine string) (list []Event) {
	for _, e := range d.Events {
		if slices.ContainsFunc(e.Machines, func(m string) bool { return strings.EqualFold(m, machine) }) {
			list = append(list, e)
		}
	}
	return list
}

// Reader asks the metadata address.
type Reader struct {
	Address string       // without a slash at its end
	Client  *http.Client // without a proxy: the address is the machine's own
}

// New reads at an address; "": Azure's.
func New(address string) Reader {
	if address == "" {
		address = Address
	}
	return Reader{Address: strings.TrimRight(address, "/"), Client: &http.Client{Transport: &http.Transport{Proxy: nil}}}
}

// Machine is the name of the machine that asks, as events call it.
func (r Reader) Machine(ctx context.Context) (string, error) {
	data, err := r.call(ctx, http.MethodGet, "/metadata/instance/compute/name?api-version="+instanceVersion+"&format=text", nil)
	name := strings.TrimSpace(string(data))
	if err == nil && name == "" {
		err = fmt.Errorf("the metadata address %s says no name of this machine", r.Address)
	}
	return name, err
}

// answer is a document as Azure writes it.
type answer struct {
	DocumentIncarnation int
	Events              []struct {
		EventID           string `json:"EventId"`
		EventType         string
		Resources         []string
		EventStatus       string
		NotBefore         string
		Description       string
		DurationInSeconds int
	}
}

// Look reads the document.
func (r Reader) Look(ctx context.Context) (Document, error) {
	data, err := r.call(ctx, http.MethodGet, eventsPath, nil)
	if err != nil {
		return Document{}, err
	}
	var is answer
	if err := json.Unmarshal(data, &is); err != nil {
		return Document{}, fmt.Errorf("what the metadata address says is no document of events: %w", err)
	}
	if len(is.Events) > mostEvents {
		return Document{}, fmt.Errorf("the metadata address names %d events, more than %d", len(is.Events), mostEvents)
	}
	d := Document{Incarnation: is.DocumentIncarnation}
	for _, e := range is.Events {
		at, err := momentOf(e.NotBefore)
		if err != nil || e.EventID == "" {
			return Document{}, fmt.Errorf("event %.80q is not before %.80q, which is no moment like Mon, 19 Sep 2026 18:29:47 GMT", e.EventID, e.NotBefore)
		}
		d.Events = append(d.Events, Event{
			ID: e.EventID, Kind: e.EventType, Machines: e.Resources, State: e.EventStatus, NotBefore: at,
			Lasts: time.Duration(max(0, e.DurationInSeconds)) * time.Second, Says: e.Description,
		})
	}
	return d, nil
}

// momentOf reads a moment; an event that has begun has none.
func momentOf(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	return http.ParseTime(text)
}

const eventsPath = "/metadata/scheduledevents?api-version=" + eventsVersion

// Approve lets Azure begin an event before its moment. To approve it twice is to approve it once.
func (r Reader) Approve(ctx context.Context, id string) error {
	body, err := json.Marshal(map[string]any{"StartRequests": []map[string]string{{"EventId": id}}})
	if err != nil {
		return err
	}
	_, err = r.call(ctx, http.MethodPost, eventsPath, body)
	return err
}

func (r Reader) call(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	ask, err := http.NewRequestWithContext(ctx, method, r.Address+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	ask.Header.Set("Metadata", "true")
	is, err := r.Client.Do(ask)
	if err != nil {
		return nil, fmt.Errorf("the metadata address does not answer: %w", err)
	}
	defer func() { _ = is.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(is.Body, mostAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the metadata address breaks off: %w", err)
	case is.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the metadata address answers %s: %.200s", is.Status, data)
	case len(data) > mostAnswer:
		return nil, fmt.Errorf("the metadata address answers with more than %d bytes", mostAnswer)
	}
	return data, nil
}
