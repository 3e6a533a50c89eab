package workload

import (
	"github.com/a-h/templ"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
	"github.com/muster-fleet/muster/internal/faces/web/parts"
)

// listView is a list of workloads.
type listView struct {
	v       *frame.Visit
	list    []*musterv1.Workload
	others  int // that the reader may not read
	filters map[string]string
	next    string
	nothing string // said where the list is empty
}

// List is the page of workloads.
func List(v *frame.Visit) (frame.Page, error) {
	q := v.Request.URL.Query()
	m := listView{v: v, filters: map[string]string{}, nothing: "No workload matches."}
	for _, name := range []string{"namespace", "target", "partition", "user", "states"} {
		m.filters[name] = q.Get(name)
	}
	ask := &musterv1.ListWorkloadsRequest{
		AsOf: v.AsOf, Namespace: m.filters["namespace"], Target: m.filters["target"], Partition: m.filters["partition"], User: m.filters["user"],
		Limit: 100, From: frame.Number(q.Get("from")), Reasons: true,
	}
	switch s := m.filters["states"]; s {
	case "":
	case evicted: // of all states, as Muster counts evictions and not a state
		ask.Evicted = true
	case "waiting":
		ask.States = words.WaitingStates
	default:
		ask.States, ask.NewestFirst = []string{s}, words.Ended(s)
	}
	l, err := v.Workloads.ListWorkloads(v.Ctx, ask)
	if unknown := frame.UnknownName(err); unknown != "" {
		m.nothing = frame.Sentence("No workload matches: " + unknown)
	} else if err != nil {
		return frame.Page{}, err
	}
	m.list, m.others = l.GetWorkloads(), int(l.GetOthers())
	if l.GetNext() > 0 {
		m.next = v.Here("from", parts.Plain(int(l.GetNext())))
	}
	command := []string{"muster", "job", "list"}
	for _, f := range [][2]string{{"namespace", "-n"}, {"target", "--target"}, {"partition", "--partition"}, {"user", "--user"}} {
		if m.filters[f[0]] != "" {
			command = append(command, f[1], m.filters[f[0]])
		}
	}
	switch s := m.filters["states"]; s {
	case "":
	case evicted:
		command = append(command, "--evicted")
	case "waiting":
		command = append(command, "--waiting")
	default:
		command = append(command, "--state", s)
	}
	return frame.Page{Title: "Workloads", Nav: "workloads", Command: words.Shell(command...), Body: listBody(m), Lead: "What runs, how it holds its GPUs, and what waits for which reason. Choose a workload to see why."}, nil
}

// evicted is the filter for work that was evicted at least once, and has not ended.
const evicted = "evicted"

// standsAs labels the cell that says why work waits or how it holds its GPUs, for screens on which the head of the column is not
// seen. What failed says so itself.
func standsAs(w *musterv1.Workload) templ.Attributes {
	switch {
	case w.GetReason() != "":
		return templ.Attributes{"data-label": "reason"}
	case w.GetHolds() != "":
		return templ.Attributes{"data-label": "holds"}
	}
	return nil
}

// holdsWord is the word for how GPUs are held; usage where nothing is said.
func holdsWord(holds string) string {
	switch holds {
	case "guaranteed", "borrowing", "unprotected", "flex":
		return holds
	}
	return "usage"
}
