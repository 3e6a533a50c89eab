package core

import (
	"slices"

	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

func submit(s *fleet.State, r Request, c Submit) ([]event.Event, *Refusal) {
	spec := c.Spec
	if refusal := checkSpec(spec); refusal != nil {
		return nil, refusal
	}
	if spec.Author != "" && r.Actor.Name != Reporter.Name {
		return nil, refuse(Invalid, "the author of a workload is what its cluster shows; leave it out")
	}
	if refusal := checkCeiling(r.Actor, spec.Namespace, spec.Priority, fleet.Low); refusal != nil {
		return nil, refusal
	}
	if refusal := checkTarget(s, r.Actor, spec, spec.Target, spec.Partition); refusal != nil {
		return nil, refusal
	}
	if w := s.Workload(spec.Namespace, spec.Name); w != nil && !w.State.Ended() {
		return nil, nameTaken(spec.Namespace, spec.Name, w.State)
	}
	spec.Grace = min(spec.Grace, s.Policy.MaxGrace)
	return one(event.WorkloadSubmitted{ID: s.NextID, Spec: spec})
}

func nameTaken(namespace, name string, is fleet.WorkloadState) *Refusal {
	return refuse(NameTaken, "a workload %s/%s is %s; choose another name or cancel it", namespace, name, is)
}

// sees says whether the actor may know of a workload; nil: whether there is one in the namespace.
func (a Actor) sees(s *fleet.State, w *fleet.Workload, namespace string) bool {
	switch {
	case a.Operator || !a.Principal.SignedIn() || s.Policy.OpenReading:
		return true
	case w == nil:
		return a.may(access.ReadWork, access.Place{Namespace: namespace})
	}
	return a.User != "" && w.User == a.User || access.Reads(s, a.rights, w)
}

// HiddenWork refuses to say whether there is a workload, to an actor who may not read it: a refusal in other words
// than those for one that is not there would let names be guessed.
func HiddenWork(a Actor, namespace, name string) *Refusal {
	return refuse(AccessDenied, "%s may not read work of namespace %s, so it is not said whether there is a workload %s/%s; muster role list shows your roles",
		a.Name, clip(namespace), clip(namespace), clip(name))
}

// findOwn finds a workload that has not ended and that the actor may change.
func findOwn(s *fleet.State, a Actor, namespace, name string) (*fleet.Workload, *Refusal) {
	w := s.Workload(namespace, name)
	if !a.sees(s, w, namespace) {
		return nil, HiddenWork(a, namespace, name)
	}
	if w == nil {
		return nil, noWork(s, namespace, name)
	}
	if w.State.Ended() {
		return nil, refuse(WrongState, "workload %s/%s is %s already", namespace, name, w.State)
	}
	if (a.User == "" || a.User != w.User) && !a.may(access.ChangeWork, access.Place{Namespace: namespace}) {
		return nil, refuse(AccessDenied, "workload %s/%s belongs to %q; only its submitter, operators and team leads of namespace %s may change it", namespace, name, w.User, namespace)
	}
	if s.OnlySeen(&w.Spec) && a.Name != Reporter.Name {
		return nil, onlySeen(s, w)
	}
	return w, nil
}

// onlySeen refuses to change what Muster only sees: the cluster would say again at once
// that it is as it was.
func onlySeen(s *fleet.State, w *fleet.Workload) *Refusal {
	refusal := refuse(DecidedElsewhere, "workload %s/%s is only seen: cluster %s is in mode %s, and nothing is changed there; it is as %s says",
		w.Namespace, w.Name, w.Home(), s.Cluster(w.Home()).Mode, w.MakerText())
	if line := DeleteLine(&w.Spec); line != "" {
		refusal.Message += " (" + line + " ends it)"
	}
	return refusal
}

func cancel(s *fleet.State, r Request, c Cancel) ([]event.Event, *Refusal) {
	w, refusal := findOwn(s, r.Actor, c.Namespace, c.Name)
	if refusal != nil {
		return nil, refusal
	}
	return one(event.WorkloadCancelled{ID: w.ID, Gone: c.Gone})
}

// retarget gives a workload another target. One that runs leaves its nodes
// first, and waits for the new target with its age.
func retarget(s *fleet.State, r Request, c Retarget, now fleet.Instant) ([]event.Event, *Refusal) {
	w, refusal := findOwn(s, r.Actor, c.Namespace, c.Name)
	if refusal != nil {
		return nil, refusal
	}
	if refusal := checkTarget(s, r.Actor, w.Spec, c.Target, c.Partition); refusal != nil {
		return nil, refusal
	}
	if c.Target == w.Target && c.Partition == w.Partition && w.Moves == nil {
		return nil, nil
	}
	return one(event.WorkloadRetargeted{
		ID: w.ID, Target: c.Target, Partition: c.Partition, Until: now.Add(min(w.Grace, s.Policy.MaxGrace)),
	})
}

func prioritise(s *fleet.State, r Request, c Prioritise) ([]event.Event, *Refusal) {
	w, refusal := findOwn(s, r.Actor, c.Namespace, c.Name)
	if refusal != nil {
		return nil, refusal
	}
	if c.Priority < fleet.Critical || c.Priority > fleet.Low {
		return nil, refuse(Invalid, "unknown priority %v", c.Priority)
	}
	if c.Priority == w.Priority {
		return nil, nil
	}
	if refusal := checkCeiling(r.Actor, c.Namespace, c.Priority, w.Priority); refusal != nil {
		return nil, refusal
	}
	return one(event.WorkloadPrioritised{ID: w.ID, Priority: c.Priority})
}

// finished refuses nothing: what has happened has happened. Work that was cancelled or
// evicted meanwhile, and perhaps runs anew, has not finished.
func finished(s *fleet.State, c ReportFinished) ([]event.Event, *Refusal) {
	w := s.Workloads[c.ID]
	if w == nil || w.State.Ended() || w.Started == 0 || c.Run != 0 && c.Run != w.Run {
		return nil, nil
	}
	return one(event.WorkloadFinished{ID: c.ID, Failed: c.Failed})
}

// stopped keeps of a report what the state still waits for. A report answers an
// order: what a cluster says twice, or late, of an order that is carried out
// changes nothing, whatever has come to stand there since.
func stopped(s *fleet.State, c ReportStopped) ([]event.Event, *Refusal) {
	w := s.Workloads[c.ID]
	if w == nil {
		return nil, nil
	}
	spots := w.Spots(func(r fleet.Replica) bool { return r.Phase == fleet.Leaving })
	for i := range spots {
		spots[i].Nodes = slices.DeleteFunc(spots[i].Nodes, func(node int) bool { return !answers(c, spots[i], node) })
	}
	spots = slices.DeleteFunc(spots, func(spot fleet.Spot) bool { return len(spot.Nodes) == 0 })
	if len(spots) == 0 {
		return nil, nil
	}
	return one(event.ReplicasStopped{ID: c.ID, Spots: spots})
}

// answers says whether a report is about what leaves a node by the order of a spot.
func answers(c ReportStopped, spot fleet.Spot, node int) bool {
	return slices.ContainsFunc(c.Spots, func(said fleet.Spot) bool {
		return said.Pool == spot.Pool && said.Order == spot.Order && slices.Contains(said.Nodes, node)
	})
}
