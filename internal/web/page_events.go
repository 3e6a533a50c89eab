package web

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// eventsView is what the page of events shows.
type eventsView struct {
	v       *visit
	filters map[string]string
	rows    []eventRow
	older   string
	newer   string
}

// eventRow is one event, with the pages of what it is about right before and after it.
type eventRow struct {
	seq           uint64
	first         bool // of its record
	at            time.Time
	actor, reason string
	kind, text    string
	thing, path   string // what it is about, and its page
	before, after string
	record        string
}

// mostEvents is how many events of a page are shown.
const mostEvents = 400

func eventsPage(v *visit) (page, error) {
	q := v.r.URL.Query()
	m := eventsView{v: v, filters: map[string]string{}}
	for _, name := range []string{"kind", "who", "about", "since"} {
		m.filters[name] = strings.TrimSpace(q.Get(name))
	}
	ask := &musterv1.ListEventsRequest{AsOf: v.asOf, From: number(q.Get("from")), Who: m.filters["who"], About: m.filters["about"], Limit: 30}
	if n := number(q.Get("limit")); n > 0 && n <= 200 {
		ask.Limit = int32(n)
	}
	if m.filters["kind"] != "" {
		ask.Kinds = []string{m.filters["kind"]}
	}
	if m.filters["since"] != "" {
		at, err := moment(m.filters["since"], v.now)
		if err != nil {
			return page{}, &wrongInput{"Since", "is no moment: " + short(m.filters["since"], 40) + "; write 2026-03-01T12:00:00Z, or 2h"}
		}
		ask.Since = timestamppb.New(at)
	}
	l, err := v.Events.ListEvents(v.ctx, ask)
	if err != nil {
		return page{}, err
	}
	records := l.GetRecords()
	if ask.GetFrom() > 0 && l.GetNext() > 0 {
		m.newer = v.here("from", fmt.Sprint(l.GetNext()))
	}
	if n := len(records); n > 0 && records[0].GetSeq() > 1 {
		m.older = v.here("from", fmt.Sprint(max(1, int64(records[0].GetSeq())-int64(ask.GetLimit()))))
	}
	if ask.GetFrom() == 0 {
		slices.Reverse(records) // the last first, where nobody asked for a place
	}
	m.rows = v.rows(records, mostEvents)
	command := "muster events"
	for _, f := range [][2]string{{"kind", "--kind"}, {"who", "--who"}, {"about", "--about"}, {"since", "--since"}} {
		if m.filters[f[0]] != "" {
			command += " " + f[1] + " " + m.filters[f[0]]
		}
	}
	return page{title: "Events", nav: "events", command: command, body: eventsBody(m), lead: "Everything that happened: who did what, when and why. Each leads to how things stood right before it, and right after."}, nil
}

// told is what pages read of an event.
type told struct {
	ID                                       uint64
	For                                      uint64
	Quota, Path, Partition, Node, Name, From string
	To                                       any
	Cluster                                  string
	Spec                                     *struct{ Namespace, Name, Target string }
}

// rows makes rows of records, at most so many.
func (v *visit) rows(records []*musterv1.Record, most int) []eventRow {
	jobs := v.jobNames(records)
	var list []eventRow
	for _, r := range records {
		for i, e := range r.GetEvents() {
			if len(list) == most {
				return list
			}
			list = append(list, v.row(r, e, i == 0, jobs))
		}
	}
	return list
}

func (v *visit) row(r *musterv1.Record, e *musterv1.Event, first bool, jobs map[uint64]string) eventRow {
	row := eventRow{seq: r.GetSeq(), first: first, at: r.GetAt().AsTime(), actor: r.GetActor(), reason: r.GetReason(), kind: e.GetKind()}
	row.record = fmt.Sprintf("/events?from=%d&limit=1", r.GetSeq())
	var t told
	_ = json.Unmarshal([]byte(e.GetData()), &t) // what it does not say stays empty
	switch {
	case t.Spec != nil:
		row.thing = t.Spec.Namespace + "/" + t.Spec.Name
		row.path = "/workload/" + row.thing
	case t.ID > 0 && jobs[t.ID] != "" && aboutWork(e.GetKind()):
		row.thing, row.path = jobs[t.ID], "/workload/"+jobs[t.ID]
	case t.Node != "":
		row.thing, row.path = t.Node, "/node/"+t.Node
	case t.Quota != "":
		row.thing, row.path = t.Quota, "/team/"+t.Quota
	case t.Path != "":
		row.thing, row.path = t.Path, "/team/"+t.Path
	case t.Partition != "":
		row.thing, row.path = t.Partition, "/partition/"+t.Partition
	default:
		row.path = "/"
	}
	row.text = fields(e, jobs, row.thing)
	row.before, row.after = asOf(row.path, row.at.Add(-time.Millisecond)), asOf(row.path, row.at)
	return row
}

func asOf(path string, at time.Time) string { return path + "?as-of=" + stamp(at) }

func aboutWork(kind string) bool {
	for _, prefix := range []string{"workload.", "replicas.", "gang.", "reservation.", "holds."} {
		if strings.HasPrefix(kind, prefix) {
			return true
		}
	}
	return false
}

// jobNames finds out the names of workloads that records mention by number.
func (v *visit) jobNames(records []*musterv1.Record) map[uint64]string {
	names := map[uint64]string{}
	var low, high uint64
	for _, r := range records {
		for _, e := range r.GetEvents() {
			var t told
			if !aboutWork(e.GetKind()) || json.Unmarshal([]byte(e.GetData()), &t) != nil {
				continue
			}
			for _, id := range []uint64{t.ID, t.For} {
				if id > 0 && (low == 0 || id < low) {
					low = id
				}
				high = max(high, id)
			}
		}
	}
	if high == 0 {
		return names
	}
	l, err := v.Workloads.ListWorkloads(v.ctx, &musterv1.ListWorkloadsRequest{States: workloadStates, From: low, Limit: int32(min(high-low+1, 5000))})
	if err != nil {
		return names // numbers stay numbers
	}
	for _, w := range l.GetWorkloads() {
		names[w.GetId()] = w.GetSpec().GetNamespace() + "/" + w.GetSpec().GetName()
	}
	return names
}

// fields writes an event's data as words: key value, in order of key, without the
// thing that it is about.
func fields(e *musterv1.Event, jobs map[uint64]string, thing string) string {
	var m map[string]any
	if json.Unmarshal([]byte(e.GetData()), &m) != nil {
		return short(e.GetData(), 160)
	}
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	var parts []string
	for _, k := range keys {
		if s := value(e.GetKind(), k, m[k], jobs); s != "" && s != thing {
			parts = append(parts, keyWord(k)+" "+s)
		}
	}
	return short(strings.Join(parts, ", "), 200)
}

// holdsWords are how GPUs are held, as events number it.
var holdsWords = []string{"", "guaranteed", "borrowing", "unprotected", "flex"}

// keyWord is a key of an event as people call it.
func keyWord(key string) string {
	if key == "spots" {
		return "places"
	}
	return key
}

func value(kind, key string, v any, jobs map[uint64]string) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		if v {
			return "yes"
		}
		return ""
	case float64:
		if (key == "id" || key == "for") && jobs[uint64(v)] != "" {
			return jobs[uint64(v)]
		}
		if n := int(v); n < len(holdsWords) && n > 0 && (key == "holds" || kind == "holds.changed" && key != "pool") {
			return holdsWords[n]
		}
		if v > 1e17 { // a moment
			return time.Unix(0, int64(v)).UTC().Format("15:04:05")
		}
		return fmt.Sprintf("%.10g", v)
	case []any:
		return fmt.Sprint(len(v))
	}
	return ""
}
