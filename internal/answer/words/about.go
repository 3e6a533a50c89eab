package words

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Subject is what a question asks events about, by the name that Tell gives it: a node,
// quota, partition or incident, oak/base, hold 3. Events name workloads by number, so the
// numbers of those with the name are learned: from the state, and from their submissions.
type Subject struct {
	name string
	ids  map[uint64]bool // the workloads of that name, now and before
	hold map[uint64]bool // the holds of the quota of that name, as far as they are known
	raw  [][]byte        // of which one stands in every record about it, its number aside
}

// NewSubject is what a name means in a state.
func NewSubject(name string, s *fleet.State) *Subject {
	if full := s.NodesNamed(name); len(full) == 1 && strings.Contains(name, "/") { // a node, with its place
		name = full[0]
	}
	about := &Subject{name: name, ids: map[uint64]bool{}, hold: map[uint64]bool{}}
	first, _, _ := strings.Cut(name, " and ") // "node-1 and 2 more"
	for _, text := range []string{name, first, name[strings.LastIndexAny(name, "/ ")+1:]} {
		quoted, _ := json.Marshal(text) // never fails: it is a string
		about.raw = append(about.raw, quoted)
	}
	if _, number, ok := strings.Cut(name, " "); ok { // "hold 3"
		if n, err := strconv.ParseUint(number, 10, 64); err == nil {
			about.note(n, strings.HasPrefix(name, "workload "))
		}
	}
	for _, h := range s.Holds {
		if h.Quota == name {
			about.Holds(h.ID)
		}
	}
	if !strings.Contains(name, "/") {
		return about
	}
	for id, w := range s.Workloads {
		if w.Namespace+"/"+w.Name == name {
			about.note(id, true)
		}
	}
	return about
}

func (a *Subject) note(id uint64, workload bool) {
	if a.ids[id] {
		return
	}
	if workload {
		a.ids[id] = true
	}
	number := ":" + strconv.FormatUint(id, 10)
	a.raw = append(a.raw, []byte(number+","), []byte(number+"}"))
}

// Holds takes a hold for one of the quota that is asked about: its end names no quota.
func (a *Subject) Holds(id uint64) {
	if !a.hold[id] {
		a.hold[id] = true
		a.note(id, false)
	}
}

// MayBeIn says whether a record, as the log keeps it, may be about the subject. It reads
// past most others without decoding them.
func (a *Subject) MayBeIn(record []byte) bool {
	for _, text := range a.raw {
		if bytes.Contains(record, text) {
			return true
		}
	}
	return false
}

// In says whether an event is about the subject: Tell says so, or the event names it as
// something that takes part. Events are shown in the order of the log.
func (a *Subject) In(e event.Event) bool {
	if s, ok := e.(event.WorkloadSubmitted); ok && s.Spec.Namespace+"/"+s.Spec.Name == a.name {
		a.note(s.ID, true)
	}
	switch h := e.(type) {
	case event.HoldPlaced:
		if h.Hold.Quota == a.name {
			a.Holds(h.Hold.ID)
		}
	case event.HoldEnded:
		if a.hold[h.ID] {
			return true
		}
	}
	mentioned := false
	names := Names(func(id uint64) string {
		if !a.ids[id] {
			return ""
		}
		mentioned = true
		return a.name
	})
	return TellEvent(e, names).About == a.name || mentioned || a.named(e)
}

// Of lists the events of a record that are about the subject: those that it is In, and the change of
// a policy by which its backing became another.
func (a *Subject) Of(r event.Record) (list []event.Event) {
	realigned := false
	for _, e := range r.Events {
		if b, ok := e.(event.BackingAligned); ok {
			realigned = realigned || a.backed(b)
		}
	}
	for _, e := range r.Events {
		if a.In(e) || realigned && changesPolicy(e) {
			list = append(list, e)
		}
	}
	return list
}

func (a *Subject) backed(e event.BackingAligned) bool {
	return slices.ContainsFunc(e.Backing, func(b event.Backed) bool { return b.Quota == a.name })
}

// changesPolicy says whether an event changes what may be promised.
func changesPolicy(e event.Event) bool {
	_, _, ok := event.BufferIn(e)
	return ok
}

// named says whether the name stands in the event as it is.
func (a *Subject) named(e event.Event) bool {
	data, err := json.Marshal(e)
	return err == nil && bytes.Contains(data, a.raw[0])
}
