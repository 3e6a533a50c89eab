package scheduledevents_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/run/executor/scheduledevents"
)

// document is one as Azure documents it.
const document = `{"DocumentIncarnation": 7, "Events": [
	{"EventId": "C7061BAC-AFDC-4513-B24B-AA5F13A16123", "EventType": "Reboot", "ResourceType": "VirtualMachine", "Resources": ["np_0", "np_1"],
	 "EventStatus": "Scheduled", "NotBefore": "Mon, 11 Apr 2026 22:26:58 GMT", "Description": "Host update", "EventSource": "Platform", "DurationInSeconds": 540},
	{"EventId": "602d9444-d2cd-49c7-8624-8643e7171297", "EventType": "Freeze", "ResourceType": "VirtualMachine", "Resources": ["np_2"],
	 "EventStatus": "Started", "NotBefore": "", "Description": "", "EventSource": "Platform", "DurationInSeconds": -1}]}`

// standIn is a metadata address.
type standIn struct {
	says     string
	code     int
	approved []string
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Metadata") != "true" || r.URL.Query().Get("api-version") == "" {
		http.Error(w, `{"error":"Bad request"}`, http.StatusBadRequest)
		return
	}
	switch {
	case s.code != 0:
		http.Error(w, "try again", s.code)
	case strings.HasPrefix(r.URL.Path, "/metadata/instance/"):
		_, _ = io.WriteString(w, "np_0")
	case r.Method == http.MethodPost:
		body, _ := io.ReadAll(r.Body)
		s.approved = append(s.approved, string(body))
	default:
		_, _ = io.WriteString(w, s.says)
	}
}

func readerOf(t *testing.T, s *standIn) scheduledevents.Reader {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return scheduledevents.New(server.URL + "/")
}

// A machine sees the events that concern it, with their moments; one that has begun has none.
func TestAMachineSeesItsEvents(t *testing.T) {
	r := readerOf(t, &standIn{says: document})
	machine, err := r.Machine(t.Context())
	if err != nil || machine != "np_0" {
		t.Fatalf("%q, %v", machine, err)
	}
	d, err := r.Look(t.Context())
	if err != nil || d.Incarnation != 7 || len(d.Events) != 2 {
		t.Fatalf("%+v, %v", d, err)
	}
	mine := d.Of("NP_0")
	if len(mine) != 1 || mine[0].Kind != scheduledevents.Reboot || mine[0].Lasts != 9*time.Minute || !mine[0].NotBefore.Equal(time.Date(2026, 4, 11, 22, 26, 58, 0, time.UTC)) {
		t.Errorf("of np_0: %+v", mine)
	}
	if frozen := d.Of("np_2"); len(frozen) != 1 || !frozen[0].NotBefore.IsZero() || frozen[0].Lasts != 0 || frozen[0].State != scheduledevents.Started {
		t.Errorf("of np_2: %+v", frozen)
	}
}

// An event is approved by its ID, as Azure wants it said.
func TestAnEventIsApproved(t *testing.T) {
	s := &standIn{says: document}
	if err := readerOf(t, s).Approve(t.Context(), "C7061BAC"); err != nil || len(s.approved) != 1 || s.approved[0] != `{"StartRequests":[{"EventId":"C7061BAC"}]}` {
		t.Errorf("%v: %v", s.approved, err)
	}
}

// What is no document is an error, and never "nothing is planned".
func TestWhatIsNoDocumentIsAnError(t *testing.T) {
	for want, s := range map[string]*standIn{
		"no document of events":   {says: "<html>"},
		"is no moment like":       {says: `{"Events":[{"EventId":"a","NotBefore":"tomorrow"}]}`},
		"answers 500":             {code: 500},
		"with more than 1048576 ": {says: strings.Repeat(" ", 2<<20)},
	} {
		if d, err := readerOf(t, s).Look(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v", want, d, err)
		}
	}
}
