package buildout

import (
	"strconv"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// end looks at a cluster that a person retires: work ends, nodes are released, and the
// infrastructure goes once a person has confirmed it by name.
func (k *look) end() {
	k.verdict.Phase = Draining
	k.add(k.workEnded())
	k.verdict.Empty = k.hold([]fleet.ConditionType{fleet.WorkEnded}) && k.life.Course.Emptied == 0
	if !k.built() { // then nothing has to be removed, and no removal confirmed
		k.verdict.Retire = k.life.Course.Emptied != 0
		return
	}
	k.add(k.confirmed())
	k.add(k.step(way{
		condition: fleet.InfrastructureRemoved, step: fleet.StepTeardown, system: "cloud", acts: true,
		after: []fleet.ConditionType{fleet.WorkEnded, fleet.RemovalConfirmed},
	}))
	s := k.life.Step(fleet.StepTeardown)
	k.verdict.Retire = k.done(s)
	if k.busy() {
		k.verdict.Intents = nil // what was begun ends first
	}
}

// built says whether anything may stand in the cloud: an operation was begun that makes something.
func (k *look) built() bool {
	for _, s := range k.life.Steps {
		if s.Step != fleet.StepCheckin && s.Step != fleet.StepQuota && s.Operation.ID != "" {
			return true
		}
	}
	return false
}

// busy says whether another operation than the removal is under way, or may have begun.
func (k *look) busy() bool {
	for _, s := range k.life.Steps {
		if s.Step != fleet.StepTeardown && s.Step != fleet.StepQuota && s.Operation.Live() { // what was asked of the cloud builds nothing
			return true
		}
	}
	return false
}

// workEnded holds when no workload stands in the cluster any more.
func (k *look) workEnded() Condition {
	c := Condition{Type: fleet.WorkEnded, Status: fleet.StatusTrue, Reason: "Empty", Turn: true, On: On{System: "work", Object: k.life.Record.Name}}
	if n := k.observed.Working; n > 0 { // by number: who asks may not see each one
		c.Status, c.Reason = fleet.StatusFalse, "Working"
		c.Message = "workloads that still stand there: " + strconv.Itoa(n) + "; they end by themselves, or by `muster job cancel NAMESPACE/NAME`, and `muster job list --partition " + k.life.Record.Partition() + "` lists them"
	}
	return c
}

// confirmed holds when a person has confirmed by name that the infrastructure goes. They are asked
// once the work has ended: what is removed cannot be brought back.
func (k *look) confirmed() Condition {
	c := Condition{
		Type: fleet.RemovalConfirmed, Status: fleet.StatusTrue, Reason: "Confirmed",
		Turn: k.hold([]fleet.ConditionType{fleet.WorkEnded}), On: On{System: "person", Object: "removal"},
	}
	if k.life.Course.Confirmed == 0 {
		c.Status, c.Reason, c.Person = fleet.StatusFalse, "NotConfirmed", c.Turn
		c.Message = "a person has to confirm by name that the infrastructure goes: `muster cluster retire " + k.life.Record.Name + " --confirm " + k.life.Record.Name + "`"
	}
	return c
}
