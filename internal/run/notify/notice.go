package notify

import (
	"fmt"
	"slices"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// Notice is one thing that a subscriber may want to be told.
type Notice struct {
	ID       string           `json:"id"` // of the record and the event in it: the same for ever
	Kind     fleet.NoticeKind `json:"kind"`
	At       fleet.Instant    `json:"-"`
	Text     string           `json:"text"` // what happened, in a sentence; chat systems show it
	Quota    string           `json:"quota,omitempty"`
	Workload string           `json:"workload,omitempty"` // namespace/name
	Cluster  string           `json:"cluster,omitempty"`  // that is built
	Owner    string           `json:"owner,omitempty"`    // of that cluster
	Version  uint64           `json:"version"`            // of the state after it
	Actor    string           `json:"actor"`
	Reason   string           `json:"reason,omitempty"`

	concerns func(*fleet.Subscription) bool // of planned work and clusters that are built; nil: its quota and workload say it
}

// isFor says whether a subscription asks for the notice.
func (n *Notice) isFor(sub *fleet.Subscription) bool {
	if !sub.Wants(n.Kind) {
		return false
	}
	if n.concerns != nil {
		return n.concerns(sub)
	}
	return sub.Covers(n.Quota, n.Workload)
}

// Notices lists what a record is worth telling, in its order. The state is one
// after the record: it gives names to the workloads.
func Notices(s *fleet.State, r event.Record) []Notice {
	var list []Notice
	for i, e := range r.Events {
		n, ok := read(s, e)
		if !ok {
			n, ok = planned(s, r, e)
		}
		if !ok {
			continue
		}
		if n.Kind == fleet.NoticeCut && byPeople(e) {
			n.Text += sinceAndWhy(r.At, r.Actor, r.Reason)
		}
		n.ID, n.At, n.Version, n.Actor, n.Reason = fmt.Sprintf("%d.%d", r.Seq, i), r.At, r.Seq, r.Actor, r.Reason
		list = append(list, n)
	}
	return slices.Concat(list, broken(s, r), atRisk(s, r), lives(s, r))
}

func read(s *fleet.State, e event.Event) (Notice, bool) {
	switch e := e.(type) {
	case event.ReplicasEvicted:
		return evicted(s, e)
	case event.ReplicasPlaced:
		return mended(s, e)
	case event.GangReturned:
		return about(s, e.ID, fleet.NoticeMended, "could not be mended and goes back to its queue with its age: "+e.Why)
	case event.ProtectionCut:
		return unprotected(s, e)
	case event.GrantSet:
		if e.GPUs < e.Was {
			return cut(e.Quota, fmt.Sprintf("the grant of %s in %s was cut from %s to %s", e.Quota, e.Partition, text.Group(e.Was), text.Count(e.GPUs, "GPU"))), true
		}
	case event.GrantEnding:
		return cut(e.Quota, ending(e)), true
	case event.GrantEnded:
		return cut(e.Quota, fmt.Sprintf("%s of the grant of %s in %s ended at %s, as was granted; %s %s left", text.Count(e.Ended.GPUs, "GPU"), e.Quota, e.Partition, day(e.Ended.Until), text.Group(e.GPUs), text.Verb(e.GPUs, "is", "are"))), true
	case event.GrantTransferred:
		return cut(e.From, fmt.Sprintf("%s of %s in %s %s transferred to %s", text.Count(e.GPUs, "GPU"), e.From, e.Partition, text.Verb(e.GPUs, "was", "were"), e.To)), true
	case event.BreakerTripped:
		return breaker("automatic quarantine has stopped in %s and waits for a person: muster health reset", e.Partition), true
	case event.PartitionHalted:
		return breaker("nothing new is decided in %s, and a person must look: muster health reset", e.Partition), true
	case event.BreakerReset:
		return breaker("automatic quarantine acts again in %s", e.Partition), true
	case event.IncidentOpened:
		return incident("incident %s opened: %s", e.Name, words(e.Severity, e.Scope)), true
	case event.IncidentClosed:
		return incident("incident %s is closed", e.Name), true
	}
	return Notice{}, false
}

// byPeople says whether an event is the change itself that people have made.
func byPeople(e event.Event) bool {
	switch e.(type) {
	case event.GrantSet, event.GrantTransferred:
		return true
	}
	return false
}

// sinceAndWhy is from when on a change holds, who made it, and why.
func sinceAndWhy(at fleet.Instant, by, why string) string {
	return fmt.Sprintf("; it holds from %s on (%s%s)", day(at), by, reasoned(why))
}

// ending says that part of a grant ends soon, and what would then be unprotected.
func ending(e event.GrantEnding) string {
	says := fmt.Sprintf("%s of the grant of %s in %s %s at %s", text.Count(e.GPUs, "GPU"), e.Quota, e.Partition, text.Verb(e.GPUs, "ends", "end"), day(e.Until))
	if len(e.Work) == 0 {
		return says + "; nothing that runs now would become less safe"
	}
	names := make([]string, len(e.Work))
	for i, w := range e.Work {
		names[i] = fmt.Sprintf("%s (%s)", w.Workload, text.Count(w.GPUs, "GPU"))
	}
	return says + "; running work would then be unprotected, and may be reclaimed: " + text.Few(names, mostNamed)
}

// mostNamed is how many workloads a notice names.
const mostNamed = 20

func day(at fleet.Instant) string { return text.Weekday(at.Time()) }

func evicted(s *fleet.State, e event.ReplicasEvicted) (Notice, bool) {
	what := "gives back some of its GPUs"
	if e.Whole {
		what = "must leave and waits again with its age"
	}
	says := fmt.Sprintf("%s by %s", what, e.Until.Time().Format("15:04:05Z"))
	if by := s.Workloads[e.For]; by != nil {
		says += ", because " + by.Namespace + "/" + by.Name + " needs the room; " + givesWay(e.Class, s.Workloads[e.ID], by)
	}
	return about(s, e.ID, fleet.NoticeEvicted, says)
}

// givesWay says why a workload must leave for another one.
func givesWay(class string, w, by *fleet.Workload) string {
	if w == nil {
		return text.Victim(class)
	}
	return text.GivesWay(class, w.Side(), by.Side())
}

func mended(s *fleet.State, e event.ReplicasPlaced) (Notice, bool) {
	if !e.Mend {
		return Notice{}, false
	}
	nodes := 0
	for _, spot := range e.Spots {
		nodes += len(spot.Nodes)
	}
	return about(s, e.ID, fleet.NoticeMended, fmt.Sprintf("lost %s and got others; the rest keep theirs", text.Counted(nodes, "replica with its node", "replicas with their nodes")))
}

// unprotected says what a change by people means to running work: since when, and
// what of it may be reclaimed.
func unprotected(s *fleet.State, e event.ProtectionCut) (Notice, bool) {
	n, ok := about(s, e.ID, fleet.NoticeCut, fmt.Sprintf("runs on, but %d of its GPUs in %s are unprotected from %s on: they may be reclaimed when work inside the backing of %s needs them, because %s (%s%s)",
		e.GPUs, e.Partition, day(s.Time), e.Quota, e.Change, e.By, reasoned(e.Reason)))
	return n, ok
}

func reasoned(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}

// about is a notice about a workload; none if the state has forgotten it.
func about(s *fleet.State, id uint64, kind fleet.NoticeKind, what string) (Notice, bool) {
	w := s.Workloads[id]
	if w == nil {
		return Notice{}, false
	}
	n := Notice{Kind: kind, Workload: w.Namespace + "/" + w.Name}
	if !w.Flexes() {
		n.Quota = w.Target
	}
	n.Text = n.Workload + " " + what
	return n, true
}

func cut(quota, text string) Notice {
	return Notice{Kind: fleet.NoticeCut, Quota: quota, Text: text}
}

func incident(format string, args ...any) Notice {
	return Notice{Kind: fleet.NoticeIncident, Text: fmt.Sprintf(format, args...)}
}

func breaker(format, partition string) Notice {
	return Notice{Kind: fleet.NoticeBreaker, Text: fmt.Sprintf(format, partition)}
}

func words(severity, scope string) string {
	if scope == "" {
		scope = "the fleet"
	}
	if severity == "" {
		return scope
	}
	return severity + " in " + scope
}

// broken lists the quotas whose backing this record changed, and which have less
// of it than their grant.
func broken(s *fleet.State, r event.Record) []Notice {
	var list []Notice
	for i, e := range r.Events {
		e, ok := e.(event.BackingAligned)
		p := s.Partition(e.Partition)
		if !ok || p == nil {
			continue
		}
		told := map[string]bool{}
		for _, b := range e.Backing {
			a := p.Account(b.Quota)
			if a == nil || told[b.Quota] || a.BackedGPUs() >= a.Grant {
				continue
			}
			told[b.Quota] = true
			list = append(list, Notice{
				ID: fmt.Sprintf("%d.%d.%s", r.Seq, i, b.Quota), Kind: fleet.NoticeUnbacked, At: r.At, Quota: b.Quota, Version: r.Seq, Actor: r.Actor, Reason: r.Reason,
				Text: fmt.Sprintf("%s has %s of its %s of %s backed by healthy nodes", b.Quota, text.Group(a.BackedGPUs()), text.Count(a.Grant, "GPU"), p.ID),
			})
		}
	}
	return list
}
