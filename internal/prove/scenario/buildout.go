package scenario

import (
	"strconv"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/answer/clusterlife"
	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/decide/buildout"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/provision/simulated"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file reads and tells what a story says about clusters that are built.

// buildoutSteps are the kinds of steps about clusters that are built.
var buildoutSteps = []string{"blueprint", "record", "cloud", "checkin", "outside", "life"}

// Outside is a step that happens in the world outside, and is no command.
type Outside struct {
	Action
	happen func(*simulated.World)
}

func (p *parser) buildoutAction(kind string, v yamlfile.Value) (Action, bool) {
	switch kind {
	case "blueprint":
		return blueprint(v), true
	case "record":
		return p.record(v), true
	case "cloud":
		return cloud(v), true
	case "checkin":
		return Told{Command: core.CheckIn{Cluster: v.Name()}}, true
	case "outside":
		return outside(v), true
	case "life":
		return life(v), true
	}
	return nil, false
}

func blueprint(v yamlfile.Value) Action {
	f := v.Fields("name", "version", "meters", "checkin", "projects", "services", "ready", "takes", "mode", "parallel", "requestQuota")
	b := fleet.Blueprint{
		Name: f.Need("name").Name(), Version: f.At("version").IntOr(1, 1, mostGPUs),
		Checkin:  fleet.CheckinWay(f.Need("checkin").Word(string(fleet.CheckinPerson), string(fleet.CheckinGit), string(fleet.CheckinInventory))),
		Projects: f.At("projects").Texts(), Services: f.At("services").Texts(),
		Parallel: f.At("parallel").Bool(), RequestQuota: f.At("requestQuota").Bool(),
		Takes: map[fleet.Step]time.Duration{},
	}
	b.Meters = yamlfile.Each(f.Need("meters"), func(m yamlfile.Value) fleet.Meter {
		of := m.Fields("meter", "perNode")
		return fleet.Meter{Meter: of.Need("meter").Name(), PerNode: of.Need("perNode").Int(1, mostGPUs)}
	})
	if f.Has("ready") {
		b.Ready = share(f.At("ready"))
	}
	if f.Has("mode") {
		b.Mode = fleet.Mode(f.At("mode").Word(string(fleet.Observe), string(fleet.Shadow), string(fleet.Enforce)))
	}
	for _, e := range f.At("takes").Entries() {
		b.Takes[step(e.Key, e.Value)] = e.Value.Duration()
	}
	return Told{Command: core.AddBlueprint{Blueprint: b}}
}

// share reads a share, as 95% or 0.95.
func share(v yamlfile.Value) fleet.Permille {
	if !v.IsText() {
		return v.Share()
	}
	percent := strings.TrimSuffix(v.Text(), "%")
	n, err := strconv.Atoi(percent)
	if err != nil || n < 1 || n > 100 {
		v.Fail("%q is no share; write 1%% to 100%%, or a number between 0 and 1", yamlfile.Clip(percent))
	}
	return fleet.Permille(10 * n)
}

// step is a step by its name, as a key of v's list.
func step(name string, v yamlfile.Value) fleet.Step {
	for _, s := range fleet.Steps() {
		if string(s) == name {
			return s
		}
	}
	v.Fail("%q is no step of a cluster's life; it is one of %v", yamlfile.Clip(name), fleet.Steps())
	return ""
}

func (p *parser) record(v yamlfile.Value) Action {
	f := v.Fields("name", "provider", "subscription", "region", "sku", "gpu", "gpusPerNode", "islands", "priority", "wantedBy", "blueprint", "owner", "variables", "changed")
	r := fleet.ClusterRecord{
		Name: f.Need("name").Name(), Provider: "simulated", Subscription: f.Need("subscription").Name(), Region: f.Need("region").Name(),
		GPU: f.Need("gpu").Name(), GPUsPerNode: f.At("gpusPerNode").IntOr(0, 1, mostGPUs), Blueprint: f.Need("blueprint").Name(),
		Priority: priority(f.At("priority")), Owner: f.At("owner").Text(), SKU: f.At("sku").Text(),
	}
	if f.Has("provider") {
		r.Provider = f.At("provider").Word(core.Providers()...)
	}
	if f.Has("wantedBy") {
		r.WantedBy = Start.Add(f.At("wantedBy").Duration())
	}
	r.Islands = yamlfile.Each(f.Need("islands"), func(i yamlfile.Value) fleet.RecordIsland {
		of := i.Fields("name", "nodes")
		return fleet.RecordIsland{Name: of.Need("name").Name(), Nodes: of.Need("nodes").Int(1, mostGPUs)}
	})
	p.known.partitions = append(p.known.partitions, r.Partition())
	if f.At("changed").Bool() {
		return Told{Command: core.ChangeCluster{Record: r}}
	}
	return Told{Command: core.PlanCluster{Record: r}}
}

func cloud(v yamlfile.Value) Action {
	f := v.Fields("subscription", "region", "meter", "limit", "used")
	subscription, region := f.Need("subscription").Name(), f.Need("region").Name()
	c := fleet.CloudCount{Meter: f.Need("meter").Name(), Limit: f.Need("limit").Int(0, mostGPUs), Used: f.At("used").IntOr(0, 0, mostGPUs)}
	return Outside{happen: func(w *simulated.World) { w.SetCloud(subscription, region, c) }}
}

// unseen is what a step is that looks do not name.
const unseen = "unseen"

func outside(v yamlfile.Value) Action {
	f := v.Fields("cluster", "step", "outcome", "error", "class", "times", "takes")
	cluster := f.Need("cluster").Name()
	var outcomes []string
	for _, o := range simulated.Outcomes() {
		outcomes = append(outcomes, string(o))
	}
	outcomes = append(outcomes, unseen)
	at := step(f.Need("step").Text(), f.At("step"))
	if f.Need("outcome").Word(outcomes...) == unseen {
		return Outside{happen: func(w *simulated.World) { w.Hide(cluster, at) }}
	}
	fault := simulated.Fault{
		Outcome: simulated.Outcome(f.Need("outcome").Word(outcomes...)), Error: f.At("error").Text(), Times: f.At("times").IntOr(1, 1, mostGPUs),
	}
	if f.Has("class") {
		fault.Class = fleet.ErrorClass(f.At("class").Word(string(fleet.ErrorRetry), string(fleet.ErrorWait), string(fleet.ErrorFix), string(fleet.ErrorPerson)))
	}
	if f.Has("takes") {
		fault.Takes = f.At("takes").Duration()
	}
	return Outside{happen: func(w *simulated.World) { w.Fault(cluster, at, fault) }}
}

func life(v yamlfile.Value) Action {
	f := v.Fields("cluster", "do", "step")
	var steers []string
	for _, s := range core.Steers() {
		steers = append(steers, string(s))
	}
	c := core.SteerCluster{Cluster: f.Need("cluster").Name(), Do: core.Steer(f.Need("do").Word(steers...))}
	if c.Do == core.Confirm {
		c.Confirm = c.Cluster
	}
	if f.Has("step") {
		c.Step = step(f.At("step").Text(), f.At("step"))
	}
	return Told{Command: c}
}

// clusterFigures are what an expectation may say of a cluster that is built.
func clusterFigures() []figure {
	return []figure{
		{name: "phase", kind: word, words: phases()},
		{name: "waits", kind: word, words: append(conditions(), none)},
		{name: "on", kind: word, words: systems},
		{name: "person", kind: flag},
		{name: "missing"},
		{name: "reserved"},
		{name: "touches"},
		{name: "tries", kind: sums},
		{name: "operations", kind: sums},
		{name: "degraded", kind: flag},
		{name: "late", kind: flag},
		{name: "says", kind: excerpt},
	}
}

// none is what a cluster waits for to which nothing is missing.
const none = "none"

// systems are those that a condition may wait for.
var systems = []string{
	"record", "cloud", "person", "git", "inventory", "pipeline", "scaleSets", "nodes", "validation", "services", "projects", "cluster", "work", none,
}

func phases() (words []string) {
	for _, p := range buildout.Phases() {
		words = append(words, string(p))
	}
	return words
}

func conditions() (words []string) {
	for _, c := range fleet.ConditionTypes() {
		words = append(words, string(c))
	}
	return words
}

// clusterOf finds the figures of a cluster that is built.
func clusterOf(s *fleet.State, name string, now fleet.Instant) func(figure string) any {
	l := s.Life(name)
	if l == nil {
		return func(string) any { return "no such cluster" }
	}
	c := clusterlife.Of(s, l, now)
	w := c.Waits()
	figures := map[string]any{
		"phase": string(c.Verdict.Phase), "waits": orNone(string(w.Type)), "on": orNone(w.On.System), "person": strconv.FormatBool(c.Person()),
		"missing": c.Claim.Missing(), "reserved": c.Claim.Reserved(), "touches": len(l.Touches), "tries": c.Tries(), "operations": c.Operations(),
		"degraded": strconv.FormatBool(c.Verdict.Degraded), "late": strconv.FormatBool(c.Late()), "says": c.Why,
	}
	return func(figure string) any { return figures[figure] }
}

func orNone(s string) string {
	if s == "" {
		return none
	}
	return s
}
