package buildout

import (
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Observed is what is known of a cluster beside its own life.
type Observed struct {
	Claim   Claim         // its place in the ledger of its cloud account
	Taken   bool          // a cluster of its name is in the fleet already, and is another one
	Islands []IslandNodes // of the cluster in the fleet; nil: it is not there yet
	Stale   bool          // its reports have stopped
	Working int           // workloads that stand there
	// Pace is how long a condition took in clusters of the blueprint, shortest first.
	Pace func(fleet.ConditionType) []time.Duration
	// Lead is how long clusters of the blueprint took from when a condition first held until
	// they were in production, shortest first. nil: when this one will be is not asked.
	Lead func(fleet.ConditionType) []time.Duration
}

// IslandNodes counts the nodes of an island of the fleet.
type IslandNodes struct {
	Island       string
	Ready, Nodes int
}

// look is one look at a cluster: what is known of it, and the verdict as far as it has come.
type look struct {
	life      *fleet.Life
	blueprint *fleet.Blueprint // nil: it is not there
	observed  Observed
	now       fleet.Instant
	verdict   Verdict
	held      bool          // a person has stopped it: nothing new is begun
	of        fleet.Instant // the moment that its date of production is of (pace.go)
}

// Next says what a cluster waits for, and what is to be done next. The record and the
// operations are in its life.
func Next(l *fleet.Life, b *fleet.Blueprint, o Observed, now fleet.Instant) Verdict {
	k := &look{life: l, blueprint: b, observed: o, now: now, verdict: Verdict{Wake: fleet.Never}, held: l.Course.Held != 0}
	if l.Course.Retired != 0 {
		k.verdict.Phase = Retired
		return k.verdict
	}
	if l.Course.Retiring != 0 {
		k.end()
		return k.verdict
	}
	k.conditions()
	k.verdict.Phase = k.phase()
	if l.Course.Produced != 0 {
		k.production()
	}
	k.verdict.Enter = k.all() && !k.held && l.Course.Generation != l.Generation
	if k.observed.Lead != nil {
		k.verdict.InProduct = k.inProduction()
	}
	return k.verdict
}

// conditions are looked at in the order of a cluster's life: each may ask for those before it.
func (k *look) conditions() {
	k.add(k.spec())
	k.add(k.quota())
	k.add(k.checkedIn())
	for _, w := range ways {
		k.add(k.step(w))
	}
}

// way is how a condition comes to hold: by a step, once others hold.
type way struct {
	condition fleet.ConditionType
	step      fleet.Step
	system    string
	acts      bool // the step is an operation; else it is only looked at
	after     []fleet.ConditionType
}

// ways lists the conditions that steps bring about, each after those it needs.
var ways = []way{
	{fleet.BootstrapSucceeded, fleet.StepPipeline, "pipeline", true, []fleet.ConditionType{fleet.SpecValid, fleet.QuotaAvailable, fleet.CheckedIn}},
	{fleet.InfrastructureReady, fleet.StepScaleSets, "scaleSets", true, []fleet.ConditionType{fleet.SpecValid, fleet.QuotaAvailable, fleet.CheckedIn, fleet.BootstrapSucceeded}},
	{fleet.NodesReady, fleet.StepJoin, "nodes", true, []fleet.ConditionType{fleet.BootstrapSucceeded, fleet.InfrastructureReady}},
	{fleet.NodesValidated, fleet.StepValidation, "validation", true, []fleet.ConditionType{fleet.NodesReady}},
	{fleet.ServicesDeployed, fleet.StepServices, "services", true, []fleet.ConditionType{fleet.NodesReady}},
	{fleet.ProjectsApplied, fleet.StepProjects, "projects", false, []fleet.ConditionType{fleet.BootstrapSucceeded}},
	{fleet.DependenciesSatisfied, fleet.StepDependencies, "projects", false, []fleet.ConditionType{fleet.QuotaAvailable, fleet.CheckedIn}},
	{fleet.ClusterHealthy, fleet.StepHealth, "cluster", false, []fleet.ConditionType{fleet.NodesReady}},
}

// before lists what a condition needs first. Scale sets that may be made beside the
// pipeline do not wait for it.
func (k *look) before(w way) []fleet.ConditionType {
	if w.step == fleet.StepScaleSets && k.blueprint != nil && k.blueprint.Parallel {
		return w.after[:3]
	}
	return w.after
}

// add keeps a condition with what the log and past clusters say of it.
func (k *look) add(c Condition) {
	c.Since = k.since(&c)
	if !c.Holds() && c.Turn {
		c.Expect = k.expect(c.Type)
		k.wake(c.Expect.P90 + 1)
	}
	if k.held && !c.Holds() && c.Turn {
		c.Reason, c.Person = "Held", true
		c.Message = "held by " + k.life.Course.HeldBy + "; `muster cluster go " + k.life.Record.Name + "` lets it go on"
	}
	k.verdict.Conditions = append(k.verdict.Conditions, c)
}

// since is when a condition came to stand as it does; one that is waited for, when its turn came.
func (k *look) since(c *Condition) fleet.Instant {
	was, ok := k.life.Condition(c.Type)
	switch {
	case !ok || was.Status != c.Status:
		return k.now
	case c.Holds() || !c.Turn:
		return was.Since
	case was.Turn == 0:
		return k.now
	}
	return max(was.Since, was.Turn)
}

// wake asks for a look at a moment to come.
func (k *look) wake(at fleet.Instant) {
	if at > k.now {
		k.verdict.Wake = min(k.verdict.Wake, at)
	}
}

// hold says whether all these conditions hold, among those looked at so far.
func (k *look) hold(types []fleet.ConditionType) bool {
	for _, t := range types {
		if c := k.verdict.Find(t); c == nil || !c.Holds() {
			return false
		}
	}
	return true
}

func (k *look) all() bool { return k.verdict.Waits() == nil }

func (k *look) phase() Phase {
	switch {
	case k.life.Course.Produced != 0:
		return InProduction
	case k.hold([]fleet.ConditionType{fleet.CheckedIn, fleet.BootstrapSucceeded, fleet.InfrastructureReady}):
		return Provisioned
	case k.hold([]fleet.ConditionType{fleet.SpecValid, fleet.QuotaAvailable}):
		return Provisioning
	}
	return Planned
}
