package fleet

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Cause is why a workload failed.
type Cause string

// The causes of a failure. An empty cause is still to be found.
const (
	CauseInfra   Cause = "infra"
	CauseOwn     Cause = "own"
	CauseUnknown Cause = "not known"
)

// Failure is where and when a workload failed, and why.
type Failure struct {
	At       Instant    `json:"at"`
	Where    string     `json:"where"` // partition
	Nodes    []string   `json:"nodes"` // that it stood on, and those it lost replicas with in the minutes before
	Cause    Cause      `json:"cause,omitempty"`
	Evidence []Evidence `json:"evidence,omitempty"`
}

// Evidence is one thing that was seen.
type Evidence struct {
	Node string  `json:"node,omitempty"`
	At   Instant `json:"at"`
	Says string  `json:"says"`
}

// LostNode is a node that a workload lost replicas with.
type LostNode struct {
	Node int     `json:"node"` // index into Partition.Nodes
	At   Instant `json:"at"`
}

// explainBefore is how long before a failure what befell its nodes counts (health.Before).
const explainBefore = 10 * time.Minute

// explainAfter is how long after a failure signals still count (health.After).
const explainAfter = 5 * time.Minute

// noteFailure keeps where a workload stood when it failed.
func (s *State) noteFailure(w *Workload, at Instant) {
	p := w.partition
	if p == nil {
		return
	}
	f := &Failure{At: at, Where: p.ID}
	for _, replicas := range w.Replicas {
		for _, r := range replicas {
			f.Nodes = append(f.Nodes, p.Nodes[r.Node].Name)
		}
	}
	for _, lost := range w.lostSince(at) {
		// What was lost at the start was lost by the run before, perhaps in another partition. The list keeps it: a log
		// of before would else replay to another state.
		if lost.At > w.Started {
			f.Nodes = append(f.Nodes, p.Nodes[lost.Node].Name)
		}
	}
	slices.Sort(f.Nodes)
	f.Nodes = slices.Compact(f.Nodes)
	w.Failure = f
	p.await(w)
}

// loses remembers the nodes of replicas that went down, as long as they can explain a failure: a
// gang that is mended stands on them no longer.
func (w *Workload) loses(spots []Spot, at Instant) {
	list := slices.Clone(w.lostSince(at))
	for _, spot := range spots {
		for _, node := range spot.Nodes {
			list = append(list, LostNode{node, at})
		}
	}
	w.LostLately = FewOf(list)
}

// lostSince lists what this run lost so shortly before a moment that it can explain a failure then.
func (w *Workload) lostSince(at Instant) []LostNode {
	list := w.LostLately.All()
	first := slices.IndexFunc(list, func(l LostNode) bool {
		return l.At.Add(explainBefore) >= at && l.At >= w.Started
	})
	if first < 0 {
		return nil
	}
	return list[first:]
}

func (p *Partition) await(w *Workload) {
	p.failures = append(p.failures, w)
	p.state.alarm(p, w.Failure.At.Add(explainAfter), ofHealth)
}

// Unexplained lists the workloads that failed here so long ago that all signals
// are in, and whose failure is not explained yet; in order of failure, those of one
// moment by ID: a restored state knows them by ID only.
func (p *Partition) Unexplained(now Instant) []*Workload {
	var list []*Workload
	for _, w := range p.failures {
		if w.Failure.At.Add(explainAfter) <= now && p.state.Workloads[w.ID] == w {
			list = append(list, w)
		}
	}
	slices.SortFunc(list, func(a, b *Workload) int {
		return cmp.Or(cmp.Compare(a.Failure.At, b.Failure.At), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// Explain keeps why a workload failed.
func (s *State) Explain(w *Workload, cause Cause, evidence []Evidence) {
	f := *w.Failure
	f.Cause, f.Evidence = cause, evidence
	w.Failure = &f
	for _, p := range s.Partitions {
		p.failures = remove(p.failures, func(x *Workload) bool { return x == w })
	}
}

// OutageCause makes a signal a cause: what was seen and its code, without what
// differs from case to case, so that causes stay few. Who saw it, on which GPU, and
// what it means are left out, and XID 79 is one cause whatever the check is called.
func OutageCause(signal string) string {
	cause := strings.TrimPrefix(signal, "over: ")
	for _, end := range []string{":", " on ", " ("} {
		cause, _, _ = strings.Cut(cause, end)
	}
	cause = strings.TrimSpace(cause)
	if check, code, ok := strings.Cut(cause, " "); ok && isNumber(code) && strings.Contains(strings.ToUpper(check), "XID") {
		cause = "XID " + code
	}
	if r := []rune(cause); len(r) > 40 {
		cause = string(r[:40])
	}
	return cause
}

func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
