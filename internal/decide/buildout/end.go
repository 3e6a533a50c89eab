package buildout

import (
	"strconv"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// end looks at a cluster that a person retires: work ends, nodes are released, and the
// infrastructure goes once a person has confirmed it by name.
func (k *look) end() {
	k.v.Phase = Draining
	k.add(k.workEnded())
	k.v.Empty = k.hold([]fleet.ConditionType{fleet.WorkEnded}) && k.l.Course.Emptied == 0
	if !k.built() {
		k.v.Retire = k.l.Course.Emptied != 0
		return
	}
	k.add(k.confirmed())
	k.add(k.step(way{fleet.InfrastructureRemoved, fleet.StepTeardown, "cloud", true, []fleet.ConditionType{fleet.WorkEnded, fleet.RemovalConfirmed}}))
	s := k.l.Step(fleet.StepTeardown)
	k.v.Retire = k.done(s)
	if k.busy() {
		k.v.Intents = nil // what was begun ends first
	}
}

// built says whether anything may stand outside.
func (k *look) built() bool {
	for _, s := range k.l.Steps {
		if s.Step != fleet.StepCheckin && s.Operation.ID != "" {
			return true
		}
	}
	return false
}

// busy says whether another operation than the removal is under way, or may have begun.
func (k *look) busy() bool {
	for _, s := range k.l.Steps {
		if s.Step != fleet.StepTeardown && s.Operation.Live() {
			return true
		}
	}
	return false
}

func (k *look) workEnded() Condition {
	c := Condition{Type: fleet.WorkEnded, Status: fleet.StatusTrue, Reason: "Empty", Turn: true, On: On{System: "work", Object: k.l.Record.Name}}
	if k.o.Working > 0 {
		c.Status, c.Reason, c.Message = fleet.StatusFalse, "Working", "workloads that still stand there: "+strconv.Itoa(k.o.Working)
	}
	return c
}

func (k *look) confirmed() Condition {
	c := Condition{
		Type: fleet.RemovalConfirmed, Status: fleet.StatusTrue, Reason: "Confirmed",
		Turn: k.hold([]fleet.ConditionType{fleet.WorkEnded}), On: On{System: "person", Object: "removal"},
	}
	if k.l.Course.Confirmed == 0 {
		c.Status, c.Reason, c.Person = fleet.StatusFalse, "NotConfirmed", c.Turn
		c.Message = "a person has to confirm by name that the infrastructure goes: `muster cluster retire " + k.l.Record.Name + " --confirm " + k.l.Record.Name + "`"
	}
	return c
}
