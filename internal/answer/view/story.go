package view

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// Happening is one line of a workload's story: what was done to it, by whom and why.
type Happening struct {
	Seq    uint64        `json:"seq"`
	At     fleet.Instant `json:"at"`
	Actor  string        `json:"actor"`
	Reason string        `json:"reason"` // that the actor gave
	Kind   string        `json:"kind"`   // of the event
	Text   string        `json:"text"`
	By     string        `json:"by"` // namespace/name of the workload that needed the room
}

// Story gathers what happened to one workload from the records it is shown, in order.
type Story struct {
	ID    uint64
	State *fleet.State // knows the names of workloads and nodes
	Lines []Happening

	most    time.Duration // the longest run time that it declared
	started fleet.Instant // its last start; 0: it has not started
	left    bool          // it was evicted since
	cut     *protectionCut
}

// protectionCut is a change by people that took a workload's protection, and when.
type protectionCut struct {
	event.ProtectionCut
	at  fleet.Instant
	seq uint64
}

// Add reads one more record.
func (s *Story) Add(r event.Record) {
	for _, e := range r.Events {
		s.keep(e, r)
		text, by, ok := s.tell(e, r)
		if !ok {
			continue
		}
		s.Lines = append(s.Lines, Happening{Seq: r.Seq, At: r.At, Actor: r.Actor, Reason: r.Reason, Kind: e.Kind(), Text: text, By: by})
	}
}

// keep remembers what later lines are read by.
func (s *Story) keep(e event.Event, r event.Record) {
	switch e := e.(type) {
	case event.WorkloadSubmitted:
		if e.ID == s.ID {
			s.most = e.Spec.MaxRuntime
		}
	case event.ReplicasPlaced:
		if e.ID == s.ID && !e.Reserved && !e.Mend {
			s.starts(r.At)
		}
	case event.ReplicasStarted:
		if e.ID == s.ID {
			s.starts(r.At)
		}
	case event.ProtectionCut:
		if e.ID == s.ID {
			s.cut = &protectionCut{e, r.At, r.Seq}
		}
	case event.HoldsChanged:
		if e.ID == s.ID && e.Holds != fleet.HoldsUnprotected {
			s.cut = nil
		}
	case event.ReplicasEvicted:
		s.left = s.left || e.ID == s.ID && e.Whole
	}
}

// starts notes a start, but not that of replicas that join what runs.
func (s *Story) starts(at fleet.Instant) {
	if s.started == 0 || s.left {
		s.started, s.left = at, false
	}
}

// Concerns lists the workloads whose stories an event belongs to.
func Concerns(e event.Event) []uint64 {
	if late, ok := e.(event.ReplicasOverdue); ok {
		return []uint64{late.ID, late.For}
	}
	if id := event.Workload(e); id != 0 {
		return []uint64{id}
	}
	return nil
}

// submitted says what was submitted, and who made it where that is known.
func submitted(s fleet.Spec) string {
	says := fmt.Sprintf("submitted to %s with priority %v, asking for %s to start", s.Target, s.Priority, text.Count(s.NeedsBase(), "GPU"))
	if s.Author != "" {
		says += "; made by " + s.Author
	}
	return says
}

// tell says an event in words, if it is about the workload.
func (s *Story) tell(e event.Event, r event.Record) (text, by string, ok bool) {
	switch e := e.(type) {
	case event.WorkloadSubmitted:
		return submitted(e.Spec), "", e.ID == s.ID
	case event.WorkloadCancelled:
		if e.Gone {
			return "cancelled: its pods are gone, and nothing makes others", "", e.ID == s.ID
		}
		return "cancelled", "", e.ID == s.ID
	case event.WorkloadFinished:
		if e.Failed {
			return "failed", "", e.ID == s.ID
		}
		return "finished", "", e.ID == s.ID
	case event.WorkloadRetargeted:
		return "its target became " + e.Target, "", e.ID == s.ID
	case event.WorkloadPrioritised:
		return "its priority became " + e.Priority.String(), "", e.ID == s.ID
	case event.WorkloadResized:
		return s.resized(e), "", e.ID == s.ID
	case event.WorkloadAdopted:
		return adopted(e), "", e.ID == s.ID
	}
	return s.tellPlace(e, r)
}

func adopted(e event.WorkloadAdopted) string {
	if e.Target != "" {
		return "was taken over where it stood, with target " + e.Target + ": its namespace may not target the quota that it names"
	}
	return "was taken over where it stood: Muster decides for it from now on"
}

// returned says why a gang went back to its queue: it could not be mended, or planned work stopped it.
func returned(e event.GangReturned, r event.Record) string {
	for _, other := range r.Events {
		if p, ok := other.(event.WorkloadPaused); ok && p.ID == e.ID {
			return "stopped as a whole for " + p.For() + ", and went back to its queue, with its age"
		}
	}
	return "could not be mended and went back to its queue, with its age: " + e.Why
}

// tellPlace says an event about where the workload stands.
func (s *Story) tellPlace(e event.Event, r event.Record) (text, by string, ok bool) {
	switch e := e.(type) {
	case event.ReplicasPlaced:
		return s.placed(e, r), "", e.ID == s.ID
	case event.ReplicasStarted:
		return "started in the room reserved for it", "", e.ID == s.ID
	case event.ReplicasEvicted:
		text, by = s.evicted(e, r)
		return text, by, e.ID == s.ID
	case event.GangReturned:
		return returned(e, r), "", e.ID == s.ID
	case event.ReplicasStopped:
		return replicas(e.Spots) + " had left", "", e.ID == s.ID
	case event.ReplicasOverdue:
		return s.overdue(e), "", e.ID == s.ID || e.For == s.ID
	case event.ReplicasLost:
		return gone(e, r), "", e.ID == s.ID
	case event.ReplicasUnfit:
		return fmt.Sprintf("did not start %s, and looked for other nodes: %s", replicas(e.Spots), e.Why), "", e.ID == s.ID
	case event.ReplicasObserved:
		return observed(e.Spots), "", e.ID == s.ID
	case event.ReservationEnded:
		return "the room reserved for it was given up: " + e.Why, "", e.ID == s.ID
	case event.ProtectionCut:
		return fmt.Sprintf("became unprotected with %s: %s", gpusOf(e.GPUs), e.Change), e.By, e.ID == s.ID
	case event.HoldsChanged:
		return heldNow(e), "", e.ID == s.ID
	}
	return "", "", false
}

// resized says another size of a pool, and which replicas leave for it.
func (s *Story) resized(e event.WorkloadResized) string {
	if e.Max == 0 {
		return "one of its pools finished entirely: what is left goes on without it"
	}
	pool := "a pool"
	if w := s.State.Workloads[e.ID]; w != nil && e.Pool < len(w.Pools) {
		pool = "its pool " + w.Pools[e.Pool].Name
	}
	text := fmt.Sprintf("%s was resized to %d", pool, e.Max)
	if e.Min != e.Max {
		text = fmt.Sprintf("%s was resized to %d..%d", pool, e.Min, e.Max)
	}
	if n := fleet.Count(e.Leave); n > 0 {
		text += fmt.Sprintf(": %s leave by %s", replicas(e.Leave), clock(e.Until))
	}
	return text
}

func (s *Story) placed(e event.ReplicasPlaced, r event.Record) string {
	where := fmt.Sprintf("%s on %s, %v", replicas(e.Spots), s.islands(e), e.Holds)
	switch {
	case e.Mend:
		return "mended: " + where
	case !e.Reserved:
		return "started " + where
	}
	text := "room reserved: " + where
	if victims := s.victims(r); len(victims) > 0 {
		text += "; " + strings.Join(victims, ", ") + " must leave for it"
	}
	return text
}

// victims names who is evicted for the workload in a record.
func (s *Story) victims(r event.Record) []string {
	var names []string
	for _, e := range r.Events {
		if e, ok := e.(event.ReplicasEvicted); ok && e.For == s.ID {
			names = append(names, s.name(e.ID))
		}
	}
	return distinct(names)
}

// overran says whether it had run for longer than it declared.
func (s *Story) overran(at fleet.Instant) bool {
	return s.most > 0 && s.started > 0 && at >= s.started.Add(s.most)
}

func (s *Story) evicted(e event.ReplicasEvicted, r event.Record) (text, by string) {
	by = s.name(e.For)
	if e.Whole {
		why := s.givesWay(e) + cameOf(e, r)
		if e.ID == s.ID {
			why += s.uncovered(e, r)
		}
		if e.ID == s.ID && s.overran(r.At) {
			why += ", for it ran longer than the " + s.most.String() + " that it declared, and so comes last"
		}
		return fmt.Sprintf("evicted: %s needed the room (%s); it had until %s to leave", by, why, clock(e.Until)), by
	}
	return fmt.Sprintf("gave up %s for %s (%s)", replicas(e.Spots), by, s.givesWay(e)+cameOf(e, r)), by
}

// uncovered says which change by people, in an earlier record, left work unprotected that leaves now.
func (s *Story) uncovered(e event.ReplicasEvicted, r event.Record) string {
	if s.cut == nil || s.cut.seq == r.Seq || e.Class != "unprotected" {
		return ""
	}
	by := cmp.Or(s.cut.By, "somebody")
	return fmt.Sprintf("; left so by %s at %s: %s%s", by, text.Weekday(s.cut.at.Time()), s.cut.Change, reasoned(s.cut.Reason))
}

// cameOf says what in the same record took the backing of work that leaves, if the record
// knows: nodes that failed, or a change of grants by people.
func cameOf(e event.ReplicasEvicted, r event.Record) string {
	if e.Class != "borrowing" && e.Class != "unprotected" {
		return ""
	}
	var causes []string
	for _, other := range r.Events {
		switch o := other.(type) {
		case event.NodeChanged:
			if o.From.Usable() && !o.To.Usable() {
				causes = append(causes, fmt.Sprintf("node %s went to %s%s", o.Node, o.To, reasoned(o.Signal)))
			}
		case event.GrantSet:
			causes = append(causes, fmt.Sprintf("%s set the grant of %s from %s to %s", r.Actor, o.Quota, text.Group(o.Was), text.Count(o.GPUs, "GPU")))
		case event.GrantTransferred:
			causes = append(causes, fmt.Sprintf("%s moved %s of %s to %s", r.Actor, text.Count(o.GPUs, "GPU"), o.From, o.To))
		}
	}
	if len(causes) == 0 {
		return ""
	}
	return "; " + text.Few(causes, 3)
}

// givesWay says why a workload must leave for another one.
func (s *Story) givesWay(e event.ReplicasEvicted) string {
	w, by := s.State.Workloads[e.ID], s.State.Workloads[e.For]
	if w == nil || by == nil {
		return text.Victim(e.Class)
	}
	return text.GivesWay(e.Class, w.Side(), by.Side())
}

// gone says what became of replicas with their node: a person took it out of service, so
// that they left, or it failed.
func gone(e event.ReplicasLost, r event.Record) string {
	for _, other := range r.Events {
		n, ok := other.(event.NodeChanged)
		if !ok || n.Node != e.Node {
			continue
		}
		if did := ByPeople(n, r); did != "" {
			return fmt.Sprintf("left node %s with %s: %s", e.Node, replicas(e.Spots), did)
		}
	}
	return fmt.Sprintf("lost %s with node %s", replicas(e.Spots), e.Node)
}

// ByPeople says who took a node out of service, how and why; "": it was no person.
func ByPeople(n event.NodeChanged, r event.Record) string {
	did := "set it to " + string(n.To)
	switch {
	case n.To == fleet.Maintenance:
		did = "drained it for maintenance"
	case n.To == fleet.Retired && r.Actor != core.Reporter.Name && r.Actor != core.System.Name:
		did = "retired it" // a retired node is kept there by none, so the actor says it
	case n.Owner != fleet.ByOperator:
		return ""
	}
	return r.Actor + " " + did + reasoned(r.Reason)
}

func reasoned(why string) string {
	if why == "" {
		return ""
	}
	return " (" + why + ")"
}

// overdue tells which work does not leave, and which waits for the room.
func (s *Story) overdue(e event.ReplicasOverdue) string {
	who := ""
	if e.ID != s.ID {
		who = s.name(e.ID) + ", whose room it waits for, was "
	}
	return fmt.Sprintf("%snot reported gone, by %s at the latest; told to leave again (%d)", who, clock(e.Until), e.Times)
}

func clock(at fleet.Instant) string { return at.Time().Format("15:04:05") + " UTC" }

// name is a workload's, or its number where it is forgotten.
func (s *Story) name(id uint64) string {
	if w := s.State.Workloads[id]; w != nil {
		return w.Namespace + "/" + w.Name
	}
	return fmt.Sprintf("workload %d", id)
}

func (s *Story) islands(e event.ReplicasPlaced) string {
	p := s.State.Partition(e.Partition)
	if p == nil {
		return e.Partition
	}
	var names []string
	for _, spot := range e.Spots {
		for _, n := range spot.Nodes {
			names = append(names, p.Islands[p.Nodes[n].Island].Name)
		}
	}
	return e.Partition + "/" + strings.Join(distinct(names), "+")
}

func replicas(spots []fleet.Spot) string {
	return text.Count(fleet.Count(spots), "replica")
}

// heldNow says how many replicas are held in another way from then on: seldom all of the workload.
func heldNow(e event.HoldsChanged) string {
	return fmt.Sprintf("now holds %s as %v", text.Count(e.To-e.From, "replica"), e.Holds)
}

// observed is told of work that others started.
func observed(spots []fleet.Spot) string {
	if len(spots) == 0 {
		return "seen to run nowhere any more"
	}
	return "seen to run: " + replicas(spots)
}

// gpusOf counts GPUs in words.
func gpusOf(n int) string { return text.Count(n, "GPU") }
