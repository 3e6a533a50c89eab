package scenario

import (
	"strings"

	"github.com/muster-fleet/muster/internal/answer/recurrence"
	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// maintenanceSteps are the kinds of step that this file reads.
var maintenanceSteps = []string{"update", "rollout", "nfz", "notice", "maintenance", "executor", "agree", "observed"}

// maintenanceAction reads the steps about planned work on nodes.
func (p *parser) maintenanceAction(kind string, v yamlfile.Value) (Action, bool) {
	switch kind {
	case "update":
		return update(v), true
	case "rollout":
		return rollout(v), true
	case "nfz":
		return p.zone(v), true
	case "notice", "maintenance":
		return notice(v, kind == "notice"), true
	case "executor":
		return behave(v), true
	case "agree":
		return p.agree(v), true
	case "observed":
		return observed(v), true
	}
	return nil, false
}

// moment reads a time from the start of the story; 0 where it is not there.
func moment(v yamlfile.Value) fleet.Instant {
	if !v.Present() {
		return 0
	}
	return Start.Add(v.Duration())
}

func impacts() []string {
	var words []string
	for _, i := range fleet.Impacts() {
		words = append(words, string(i))
	}
	return words
}

func impact(v yamlfile.Value) fleet.Impact { return fleet.Impact(v.Word(impacts()...)) }

// oneOrMore reads a name or a list of names.
func oneOrMore(v yamlfile.Value) []string {
	switch {
	case !v.Present():
		return nil
	case v.IsList():
		return v.Names()
	}
	return []string{v.Name()}
}

func update(v yamlfile.Value) Action {
	f := v.Fields("name", "component", "version", "gpu", "impact", "freeze", "lasts", "notBefore", "deadline", "withdrawn")
	name := f.Need("name").Name()
	if f.Has("withdrawn") {
		if !f.At("withdrawn").Bool() {
			f.At("withdrawn").Fail("withdrawn is not true; leave the step out if nothing is taken back")
		}
		return Told{Command: core.WithdrawUpdate{Name: name}}
	}
	return Told{Command: core.AddUpdate{Update: fleet.NodeUpdate{
		Name: name, Component: fleet.Component{Name: f.Need("component").Name(), Version: f.Need("version").Text()},
		GPUs: oneOrMore(f.At("gpu")), Impact: impact(f.Need("impact")), Freeze: f.At("freeze").Duration(), Lasts: f.Need("lasts").Duration(),
		NotBefore: moment(f.At("notBefore")), Deadline: moment(f.At("deadline")), Executor: "simulated",
	}}}
}

func rollout(v yamlfile.Value) Action {
	f := v.Fields("name", "state", "reason", "notTheUpdate", "scope", "nodes", "updates", "canary", "waves", "perIsland", "perPartition", "perRack", "allowedFailures", "bisect")
	name := f.Need("name").Name()
	if f.Has("state") {
		return Told{Command: core.MoveRollout{Name: name, State: fleet.RolloutState(f.At("state").Word("paused", "running", "abandoned")), NotTheUpdate: f.At("notTheUpdate").Bool()}, Reason: f.At("reason").Text()}
	}
	c := f.At("canary").Fields("nodes", "soak", "auto")
	plan := fleet.RolloutPlan{
		Updates: f.Need("updates").Names(),
		Canary:  fleet.CanaryRule{Nodes: c.At("nodes").IntOr(0, 1, 100), Soak: c.At("soak").Duration(), Auto: c.At("auto").Bool()},
		Limits:  fleet.VisitLimit{PerIsland: f.At("perIsland").IntOr(0, 1, mostGPUs), Failures: f.At("allowedFailures").IntOr(-1, 0, mostGPUs)},
	}
	if f.Has("scope") {
		plan.Scope = f.At("scope").Path()
	}
	if f.Has("nodes") {
		plan.Nodes = nodeNames(f.At("nodes"))
	}
	if f.Has("waves") {
		plan.Waves = yamlfile.Each(f.At("waves"), percent)
	}
	if most := f.At("perPartition"); most.IsInt() {
		plan.Limits.PerPartition = most.Int(1, mostGPUs)
	} else if most.Present() {
		plan.Limits.Share = percent(most)
	}
	if f.Has("perRack") {
		plan.Limits.Racks = f.At("perRack").Bool()
	}
	if f.Has("bisect") {
		plan.Bisect = f.At("bisect").Word("auto") == "auto"
	}
	return Told{Command: core.StartRollout{Name: name, Plan: plan}}
}

// percent reads a share: 25%, or 0.25.
func percent(v yamlfile.Value) fleet.Permille {
	if !v.IsText() {
		return v.Share()
	}
	number, ok := strings.CutSuffix(v.Text(), "%")
	thousandths, fine := parsePercent(number)
	if !ok || !fine {
		v.Fail("%q is no share; write it as in 25%%", yamlfile.Clip(v.Text()))
	}
	return thousandths
}

func (p *parser) zone(v yamlfile.Value) Action {
	f := v.Fields("name", "state", "reason", "scope", "workload", "from", "to", "blocks", "recur", "zone", "reason", "owner", "link", "user")
	name := f.Need("name").Name()
	if f.Has("state") {
		f.At("state").Word("ended")
		return Told{Command: core.EndZone{Name: name}}
	}
	z := fleet.Zone{Name: name, ZoneRecord: fleet.ZoneRecord{
		Reason: textOr(f.At("reason"), "the story's"), Owner: textOr(f.At("owner"), "scenario"), Link: textOr(f.At("link"), "https://example.com/"+name),
	}}
	switch key, value := f.One("scope", "workload"); key {
	case "scope":
		z.Scope = value.Path()
	case "workload":
		z.Workload = value.Name()
		p.submitted(value, z.Workload)
		z.Namespace = p.namespaces[z.Workload]
	}
	if f.Has("blocks") {
		z.Blocks = yamlfile.Each(f.At("blocks"), impact)
	}
	z.Recur, z.TimeZone = textOr(f.At("recur"), ""), textOr(f.At("zone"), "")
	first := fleet.Span{From: moment(f.Need("from")), To: moment(f.Need("to"))}
	if z.Recur == "" && z.TimeZone == "" {
		z.Spans = []fleet.Span{first} // whether it ends after it begins is asked of the command
		return addZone(f, z)
	}
	spans, err := recurrence.Spans(z.Recur, z.TimeZone, first)
	if err != nil {
		v.Fail("zone %s: %v", name, err)
	}
	z.Spans = spans
	return addZone(f, z)
}

// addZone is a zone that a person adds, or else an operator.
func addZone(f yamlfile.Fields, z fleet.Zone) Action {
	return Told{Command: core.AddZone{Zone: z}, User: f.At("user").Text()}
}

// observed reads what a node is seen to run.
func observed(v yamlfile.Value) Action {
	f := v.Fields("node", "runs")
	var runs fleet.Runs
	for _, e := range f.Need("runs").Entries() {
		runs = append(runs, fleet.Component{Name: e.Key, Version: e.Value.Text()})
	}
	return Told{Command: core.ObserveRuns{Node: f.Need("node").Name(), Runs: runs}}
}

func textOr(v yamlfile.Value, otherwise string) string {
	if !v.Present() {
		return otherwise
	}
	return v.Text()
}

func notice(v yamlfile.Value, provider bool) Action {
	f := v.Fields("name", "state", "nodes", "starts", "lasts", "impact", "freeze")
	name := f.Need("name").Name()
	if f.Has("state") {
		f.At("state").Word("cancelled")
		return Told{Command: core.CancelNotice{Name: name}}
	}
	return Told{Command: core.AddNotice{
		Name: name, Nodes: nodeNames(f.Need("nodes")), Starts: moment(f.Need("starts")), Lasts: f.Need("lasts").Duration(),
		Impact: impact(f.Need("impact")), Freeze: f.At("freeze").Duration(), Provider: provider,
	}}
}

func (p *parser) agree(v yamlfile.Value) Action {
	f := v.Fields("workload", "at")
	name := f.Need("workload").Name()
	p.submitted(f.At("workload"), name)
	return Told{Command: core.AgreeToStop{Namespace: p.namespaces[name], Name: name, At: moment(f.Need("at"))}}
}
