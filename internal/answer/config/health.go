package config

import (
	"math"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// healthKeys are the keys of a health policy.
var healthKeys = []string{"shadow", "budget", "breaker", "burst", "flap", "lemon", "hung", "rules"}

var ruleKeys = []string{
	"name", "agents", "checks", "codes", "actions", "fatal", "then", "times", "within", "lasts", "quiet", "stays", "needs", "own",
}

// Health is what a file says of automation's health policy; nil is what it leaves as it is.
type Health struct {
	Line    int
	Shadow  *bool
	Budget  *fleet.Permille
	Breaker *fleet.BreakerPolicy
	Burst   *fleet.BurstPolicy
	Flap    *fleet.FlapPolicy
	Lemon   *fleet.LemonPolicy
	Hung    *time.Duration
	Rules   *[]fleet.HealthRule // all of them: they stand together
}

// ReadHealth reads a health policy.
func ReadHealth(v Value) Health {
	f := v.Fields(healthKeys...)
	h := Health{
		Line:    v.Line(),
		Shadow:  maybe(f.At("shadow"), Value.Bool),
		Budget:  maybe(f.At("budget"), Value.Share),
		Breaker: maybe(f.At("breaker"), readBreaker),
		Burst:   maybe(f.At("burst"), readBurst),
		Flap:    maybe(f.At("flap"), readFlap),
		Lemon:   maybe(f.At("lemon"), readLemon),
		Hung:    maybe(f.At("hung"), Value.Duration),
		Rules:   maybe(f.At("rules"), func(v Value) []fleet.HealthRule { return Each(v, readRule) }),
	}
	if v.Present() {
		if err := h.Over(fleet.DefaultHealth()).Check(); err != nil {
			v.Fail("%v", err)
		}
	}
	return h
}

func readBreaker(v Value) fleet.BreakerPolicy {
	f, b := v.Fields("share", "least", "within"), fleet.DefaultHealth().Breaker
	set(&b.Share, maybe(f.At("share"), Value.Share))
	b.Least = f.At("least").IntOr(b.Least, 1, 1<<20)
	set(&b.Within, maybe(f.At("within"), Value.Duration))
	return b
}

func readBurst(v Value) fleet.BurstPolicy {
	f, b := v.Fields("nodes", "within", "coolDown"), fleet.DefaultHealth().Burst
	b.Nodes = f.At("nodes").IntOr(b.Nodes, 2, 1<<20)
	set(&b.Within, maybe(f.At("within"), Value.Duration))
	set(&b.CoolDown, maybe(f.At("coolDown"), Value.Duration))
	return b
}

func readFlap(v Value) fleet.FlapPolicy {
	f, p := v.Fields("times", "within", "coolDown"), fleet.DefaultHealth().Flap
	p.Times = f.At("times").IntOr(p.Times, 2, fleet.FlapMemory)
	set(&p.Within, maybe(f.At("within"), Value.Duration))
	set(&p.CoolDown, maybe(f.At("coolDown"), Value.Duration))
	return p
}

func readLemon(v Value) fleet.LemonPolicy {
	f, p := v.Fields("factor", "certainty", "window"), fleet.DefaultHealth().Lemon
	set(&p.Factor, maybe(f.At("factor"), readFactor))
	set(&p.Certainty, maybe(f.At("certainty"), Value.Share))
	set(&p.Window, maybe(f.At("window"), Value.Duration))
	return p
}

// readFactor reads how many times as often, in whole thousandths.
func readFactor(v Value) fleet.Permille {
	x, err := strconv.ParseFloat(v.node.Value, 64)
	if err != nil || v.node.Kind != yaml.ScalarNode || x < 1 || x > 1000 || math.Abs(x*1000-math.Round(x*1000)) > 1e-6 {
		v.Fail("%s is %s; write how many times as often, 1 to 1000, as in 1.25", v.name, v.kind())
		return fleet.DefaultHealth().Lemon.Factor
	}
	return fleet.PermilleOf(x)
}

func readRule(v Value) fleet.HealthRule {
	f := v.Fields(ruleKeys...)
	r := fleet.HealthRule{
		Name: f.Need("name").Text(), Agents: f.At("agents").Texts(), Checks: f.At("checks").Texts(),
		Codes: f.At("codes").Texts(), Actions: f.At("actions").Texts(), Needs: f.At("needs").Texts(),
		Times: f.At("times").IntOr(0, 0, fleet.SightMemory),
	}
	r.Fatal, r.Own = f.At("fatal").Bool(), f.At("own").Bool()
	if f.Has("then") {
		r.Then = fleet.NodeState(f.At("then").Word(string(fleet.Suspect), string(fleet.Degraded), string(fleet.Quarantined)))
	}
	set(&r.Within, maybe(f.At("within"), Value.Duration))
	set(&r.Lasts, maybe(f.At("lasts"), Value.Duration))
	set(&r.Quiet, maybe(f.At("quiet"), Value.Duration))
	set(&r.Stays, maybe(f.At("stays"), Value.Duration))
	return r
}

// Over is a health policy with what the file names put over it.
func (h Health) Over(base fleet.HealthPolicy) fleet.HealthPolicy {
	set(&base.Shadow, h.Shadow)
	set(&base.Budget, h.Budget)
	set(&base.Breaker, h.Breaker)
	set(&base.Burst, h.Burst)
	set(&base.Flap, h.Flap)
	set(&base.Lemon, h.Lemon)
	set(&base.Hung, h.Hung)
	set(&base.Rules, h.Rules)
	return base
}
