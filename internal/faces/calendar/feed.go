package calendar

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	ical "github.com/emersion/go-ical"
	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/state/text"
)

// Type is the media type of a feed.
const Type = "text/calendar; charset=utf-8"

// item is what becomes one event. Its UID stays the same while the thing is the same, so
// that a calendar updates the event instead of adding another.
type item struct {
	uid         string
	from, to    *timestamppb.Timestamp
	title, says string
	cancelled   bool
	busy        bool
}

// Feed is the feed of planned work as it stood at a moment, and of the ends of grants and holds among
// what is ahead. covers says which scopes and partitions it has; nil: all.
func Feed(m *musterv1.GetMaintenanceResponse, ahead []*musterv1.Ahead, covers func(place string) bool) ([]byte, error) {
	c := ical.NewCalendar()
	c.Props.SetText(ical.PropProductID, "-//Muster//Maintenance//EN")
	c.Props.SetText(ical.PropVersion, "2.0")
	c.Props.SetText(ical.PropMethod, "PUBLISH")
	c.Props.SetText("X-WR-CALNAME", "Muster maintenance")
	at := m.GetSeen().GetAt().AsTime().UTC()
	for _, i := range append(items(m, covers), ends(ahead, covers)...) {
		c.Children = append(c.Children, i.event(at))
	}
	if len(c.Children) == 0 { // a calendar has one component at least
		c.Children = append(c.Children, nothing(at))
	}
	var b bytes.Buffer
	err := ical.NewEncoder(&b).Encode(c)
	return folded(b.Bytes()), err
}

// longest is how many bytes a line of a feed has at most (RFC 5545 §3.1).
const longest = 75

// folded breaks long lines; a line that goes on begins with a space.
func folded(data []byte) []byte {
	var out []byte
	for line := range bytes.Lines(data) {
		line = bytes.TrimSuffix(line, []byte("\r\n"))
		for room := longest; len(line) > room; room = longest - 1 {
			at := room
			for !utf8.RuneStart(line[at]) {
				at--
			}
			out = append(append(out, line[:at]...), "\r\n "...)
			line = line[at:]
		}
		out = append(append(out, line...), "\r\n"...)
	}
	return out
}

// nothing is a component that calendars do not show.
func nothing(at time.Time) *ical.Component {
	t := ical.NewComponent(ical.CompToDo)
	t.Props.SetText(ical.PropUID, "nothing@muster")
	t.Props.SetDateTime(ical.PropDateTimeStamp, at)
	t.Props.SetText(ical.PropSummary, "No planned work")
	t.Props.SetText(ical.PropStatus, "CANCELLED")
	return t
}

func (i item) event(at time.Time) *ical.Component {
	e := ical.NewEvent()
	e.Props.SetText(ical.PropUID, i.uid+"@muster")
	e.Props.SetDateTime(ical.PropDateTimeStamp, at)
	e.Props.SetDateTime(ical.PropDateTimeStart, i.from.AsTime().UTC())
	e.Props.SetDateTime(ical.PropDateTimeEnd, i.to.AsTime().UTC())
	e.Props.SetText(ical.PropSummary, plain(i.title))
	e.Props.SetText(ical.PropDescription, plain(i.says))
	status, sequence, busy := "CONFIRMED", 0, "TRANSPARENT"
	if i.cancelled {
		status, sequence = "CANCELLED", 1
	}
	if i.busy {
		busy = "OPAQUE"
	}
	e.Props.SetText(ical.PropStatus, status)
	e.Props.SetText(ical.PropTransparency, busy)
	number := ical.NewProp(ical.PropSequence)
	number.Value = strconv.Itoa(sequence)
	e.Props.Set(number)
	return e.Component
}

// plain takes out what may not stand in a text of a calendar: what steers a terminal or a reader.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}

func items(m *musterv1.GetMaintenanceResponse, covers func(string) bool) (list []item) {
	for _, z := range m.GetZones() {
		if place := z.GetScope() + z.GetWorkload(); covers == nil || covers(place) {
			list = append(list, ofZone(z, place))
		}
	}
	for _, n := range m.GetNotices() {
		if covers == nil || coversAny(n.GetNodes(), covers) {
			list = append(list, ofNotice(n))
		}
	}
	for _, v := range m.GetVisits() {
		if covers == nil || covers(v.GetPartition()) || covers(v.GetNode()) {
			list = append(list, item{
				uid: fmt.Sprintf("visit-%s-%d", v.GetNode(), v.GetBegan().GetSeconds()), from: v.GetBegan(), to: v.GetEnds(), busy: true,
				title: "Maintenance of " + v.GetNode(), says: fmt.Sprintf("%s, impact %s, for %s: %s", v.GetState(), v.GetImpact(), v.GetOf(), strings.Join(v.GetUpdates(), ", ")),
			})
		}
	}
	return list
}

// endLasts is how long the end of a grant or a hold stands in a calendar, which shows no moments.
const endLasts = 30 * time.Minute

// ends are the ends of grants and holds. A grant has one end in a partition; holds may have many.
func ends(ahead []*musterv1.Ahead, covers func(string) bool) (list []item) {
	for _, a := range ahead {
		if kind := a.GetKind(); (kind != "grant" && kind != "hold") || a.GetAt() == nil || covers != nil && !covers(a.GetPartition()) {
			continue
		}
		uid := "grant-" + a.GetAbout() + "-" + a.GetPartition()
		if a.GetKind() == "hold" {
			uid = fmt.Sprintf("hold-%s-%s-%d-%d", a.GetAbout(), a.GetPartition(), a.GetSince().GetSeconds(), a.GetAt().GetSeconds())
		}
		list = append(list, item{
			uid: uid, from: a.GetAt(), to: timestamppb.New(a.GetAt().AsTime().Add(endLasts)),
			title: a.GetPartition() + ": " + a.GetText(), says: a.GetText() + "\n" + a.GetPartition(),
		})
	}
	return list
}

func coversAny(list []string, covers func(string) bool) bool {
	for _, x := range list {
		if covers(x) {
			return true
		}
	}
	return false
}

// ofZone is the occurrence of a zone that is in force or next. One that was ended early ends then.
func ofZone(z *musterv1.Zone, place string) item {
	i := item{
		uid: "zone-" + z.GetName(), from: z.GetFrom(), to: z.GetTo(), title: "No-fly zone " + z.GetName() + ": " + place,
		says: fmt.Sprintf("%s\nOwner: %s\n%s\nKeeps away: %s", z.GetReason(), z.GetOwner(), z.GetLink(), strings.Join(z.GetBlocks(), ", ")),
	}
	if z.GetRecur() != "" {
		i.says += "\nRecurs: " + z.GetRecur() + " " + z.GetTimeZone() + "; this is the next occurrence"
	}
	if ended := z.GetEnded(); ended != nil {
		i.cancelled = !ended.AsTime().After(z.GetFrom().AsTime())
		if !i.cancelled && ended.AsTime().Before(z.GetTo().AsTime()) {
			i.to = ended
		}
	}
	return i
}

func ofNotice(n *musterv1.Notice) item {
	i := item{
		uid: "maintenance-" + n.GetName(), from: n.GetStarts(), to: timestamppb.New(n.GetStarts().AsTime().Add(n.GetLasts().AsDuration())), busy: true,
		title:     fmt.Sprintf("Maintenance %s: %s, %s", n.GetName(), text.Count(len(n.GetNodes()), "node"), n.GetImpact()),
		says:      "Nodes: " + strings.Join(n.GetNodes(), ", ") + "\nState: " + n.GetState() + "\nAnnounced by: " + n.GetBy(),
		cancelled: n.GetState() == "cancelled",
	}
	if len(n.GetConflicts()) > 0 {
		i.says += "\nFalls into zones: " + strings.Join(n.GetConflicts(), ", ")
	}
	return i
}
