package calendar_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	ics "github.com/arran4/golang-ical"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/calendar"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func at(h int) *timestamppb.Timestamp {
	return timestamppb.New(start.Add(time.Duration(h) * time.Hour))
}

// planned has every kind of planned work, with texts that try to write lines of their own.
func planned() *musterv1.GetMaintenanceResponse {
	return &musterv1.GetMaintenanceResponse{
		Seen: &musterv1.Seen{At: at(0)},
		Zones: []*musterv1.Zone{
			{Name: "launch", Scope: "tiger", From: at(1), To: at(20), Reason: "a; b, c\\d\r\nBEGIN:VEVENT\r\nUID:forged", Owner: "ada", Link: "https://example.com", Blocks: []string{"restart"}},
			{Name: "early", Scope: "tiger/h200", From: at(-5), To: at(20), Ended: at(-1)},
			{Name: "never", Workload: "oak/train", From: at(5), To: at(20), Ended: at(0)},
		},
		Notices: []*musterv1.Notice{
			{Name: "host", Nodes: []string{"n1", "n2"}, Starts: at(30), Lasts: durationpb.New(2 * time.Hour), Impact: "restart", State: "scheduled", By: strings.Repeat("lang, länger ", 30)},
			{Name: "off", Nodes: []string{"n3"}, Starts: at(40), Lasts: durationpb.New(time.Hour), Impact: "restart", State: "cancelled"},
		},
		Visits: []*musterv1.Visit{{Node: "n4", Partition: "tiger/h200", State: "working", Of: "r1", Impact: "restart", Began: at(-1), Ends: at(1), Updates: []string{"driver"}}},
	}
}

// events reads a feed with another library, by UID.
func events(t *testing.T, feed []byte) map[string]*ics.VEvent {
	t.Helper()
	c, err := ics.ParseCalendar(bytes.NewReader(feed))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*ics.VEvent{}
	for _, e := range c.Events() {
		if all[e.Id()] != nil {
			t.Errorf("two events have the UID %s", e.Id())
		}
		all[e.Id()] = e
	}
	return all
}

func feed(t *testing.T, m *musterv1.GetMaintenanceResponse, covers func(string) bool) []byte {
	t.Helper()
	data, err := calendar.Feed(m, nil, covers)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Another library reads each thing at its moments, and no text becomes a line of its own.
func TestAnotherLibraryReadsTheFeed(t *testing.T) {
	data := feed(t, planned(), nil)
	all := events(t, data)
	if len(all) != 6 {
		t.Fatalf("it has %d events, want 6", len(all))
	}
	for uid, want := range map[string]struct {
		from, to int
		status   string
	}{
		"zone-launch@muster": {1, 20, "CONFIRMED"}, "zone-early@muster": {-5, -1, "CONFIRMED"}, "zone-never@muster": {5, 20, "CANCELLED"},
		"maintenance-host@muster": {30, 32, "CONFIRMED"}, "maintenance-off@muster": {40, 41, "CANCELLED"},
	} {
		e := all[uid]
		if e == nil {
			t.Fatalf("there is no event %s", uid)
		}
		from, err := e.GetStartAt()
		to, err2 := e.GetEndAt()
		if err != nil || err2 != nil || !from.Equal(at(want.from).AsTime()) || !to.Equal(at(want.to).AsTime()) {
			t.Errorf("%s is from %s to %s (%v, %v)", uid, from, to, err, err2)
		}
		if got := e.GetProperty(ics.ComponentPropertyStatus).Value; got != want.status {
			t.Errorf("%s is %s, want %s", uid, got, want.status)
		}
	}
	if says := all["maintenance-host@muster"].GetProperty(ics.ComponentPropertyDescription).Value; !strings.HasSuffix(says, strings.Repeat("lang, länger ", 30)) {
		t.Errorf("a long text is %q", says)
	}
	says := all["zone-launch@muster"].GetProperty(ics.ComponentPropertyDescription).Value
	if !strings.HasPrefix(says, "a; b, c\\d \nBEGIN:VEVENT \nUID:forged\nOwner: ada") {
		t.Errorf("the zone's text is %q", says)
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(data), "\r\n"), "\r\n") {
		if len(line) > 75 || strings.HasPrefix(line, "UID:forged") {
			t.Errorf("a line is %q", line)
		}
	}
}

// The same things have the same UIDs later, and a scope has only what concerns it.
func TestTheSameThingStaysTheSameEvent(t *testing.T) {
	m := planned()
	m.Notices[0].Starts, m.Seen.At = at(50), at(2)
	later := events(t, feed(t, m, nil))
	if from, err := later["maintenance-host@muster"].GetStartAt(); err != nil || !from.Equal(at(50).AsTime()) {
		t.Errorf("it is moved to %s, %v", from, err)
	}
	some := events(t, feed(t, planned(), func(place string) bool { return place == "tiger/h200" || place == "n3" }))
	if len(some) != 3 || some["zone-early@muster"] == nil || some["maintenance-off@muster"] == nil {
		t.Errorf("a partition's feed has %d events", len(some))
	}
	if none := events(t, feed(t, &musterv1.GetMaintenanceResponse{Seen: &musterv1.Seen{At: at(0)}}, nil)); len(none) != 0 {
		t.Errorf("a fleet without planned work has %d events", len(none))
	}
}

// TestTheEndsOfGrantsAndHoldsAreInTheFeed: other things to come are not, and a scope has its own alone.
func TestTheEndsOfGrantsAndHoldsAreInTheFeed(t *testing.T) {
	ahead := []*musterv1.Ahead{
		{Kind: "grant", At: at(10), Partition: "tiger/h200", About: "safety/red", Text: "32 GPUs of the grant of safety/red end, and 48 are left"},
		{Kind: "hold", At: at(12), Partition: "lynx/h100", About: "safety/red", Text: "a hold of 8 GPUs ends"},
		{Kind: "hold", At: at(14), Partition: "lynx/h100", About: "safety/red", Text: "a hold of 8 GPUs ends"},
		{Kind: "work", At: at(11), Partition: "tiger/h200", About: "oak/train", Text: "oak/train ends"},
	}
	for scope, want := range map[string]int{"": 3, "tiger/h200": 1} {
		var covers func(string) bool
		if scope != "" {
			covers = func(place string) bool { return place == scope }
		}
		data, err := calendar.Feed(&musterv1.GetMaintenanceResponse{Seen: &musterv1.Seen{At: at(0)}}, ahead, covers)
		if err != nil {
			t.Fatal(err)
		}
		if got := events(t, data); len(got) != want || got["grant-safety/red-tiger/h200@muster"] == nil {
			t.Errorf("%q: %d events, want %d: %v", scope, len(got), want, got)
		}
	}
}
