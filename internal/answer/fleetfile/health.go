package fleetfile

import (
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/decide/core"
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
func ReadHealth(v yamlfile.Value) Health {
	f := v.Fields(healthKeys...)
	h := Health{
		Line:    v.Line(),
		Shadow:  maybe(f.At("shadow"), yamlfile.Value.Bool),
		Budget:  maybe(f.At("budget"), yamlfile.Value.Share),
		Breaker: maybe(f.At("breaker"), readBreaker),
		Burst:   maybe(f.At("burst"), readBurst),
		Flap:    maybe(f.At("flap"), readFlap),
		Lemon:   maybe(f.At("lemon"), readLemon),
		Hung:    maybe(f.At("hung"), yamlfile.Value.Duration),
		Rules:   maybe(f.At("rules"), func(v yamlfile.Value) []fleet.HealthRule { return yamlfile.Each(v, readRule) }),
	}
	if v.Present() {
		if err := h.Over(fleet.DefaultHealth()).Check(); err != nil {
			v.Fail("%v", err)
		}
	}
	return h
}

func readBreaker(v yamlfile.Value) fleet.BreakerPolicy {
	f, b := v.Fields("share", "least", "within"), fleet.DefaultHealth().Breaker
	set(&b.Share, maybe(f.At("share"), yamlfile.Value.Share))
	b.Least = f.At("least").IntOr(b.Least, 1, 1<<20)
	set(&b.Within, maybe(f.At("within"), yamlfile.Value.Duration))
	return b
}

func readBurst(v yamlfile.Value) fleet.BurstPolicy {
	f, b := v.Fields("nodes", "within", "coolDown"), fleet.DefaultHealth().Burst
	b.Nodes = f.At("nodes").IntOr(b.Nodes, 2, 1<<20)
	set(&b.Within, maybe(f.At("within"), yamlfile.Value.Duration))
	set(&b.CoolDown, maybe(f.At("coolDown"), yamlfile.Value.Duration))
	return b
}

func readFlap(v yamlfile.Value) fleet.FlapPolicy {
	f, p := v.Fields("times", "within", "coolDown"), fleet.DefaultHealth().Flap
	p.Times = f.At("times").IntOr(p.Times, 2, fleet.FlapMemory)
	set(&p.Within, maybe(f.At("within"), yamlfile.Value.Duration))
	set(&p.CoolDown, maybe(f.At("coolDown"), yamlfile.Value.Duration))
	return p
}

func readLemon(v yamlfile.Value) fleet.LemonPolicy {
	f, p := v.Fields("factor", "certainty", "window"), fleet.DefaultHealth().Lemon
	set(&p.Factor, maybe(f.At("factor"), readFactor))
	set(&p.Certainty, maybe(f.At("certainty"), yamlfile.Value.Share))
	set(&p.Window, maybe(f.At("window"), yamlfile.Value.Duration))
	return p
}

// readFactor reads how many times as often, in whole thousandths.
func readFactor(v yamlfile.Value) fleet.Permille {
	return v.Factor(fleet.DefaultHealth().Lemon.Factor)
}

func readRule(v yamlfile.Value) fleet.HealthRule {
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
	set(&r.Within, maybe(f.At("within"), yamlfile.Value.Duration))
	set(&r.Lasts, maybe(f.At("lasts"), yamlfile.Value.Duration))
	set(&r.Quiet, maybe(f.At("quiet"), yamlfile.Value.Duration))
	set(&r.Stays, maybe(f.At("stays"), yamlfile.Value.Duration))
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

// health compares the health policy of the fleet with that of the file.
func (d *differ) health(h Health) {
	is := d.s.HealthPolicy()
	if want := h.Over(*is); !is.Equal(want) {
		d.add(Changed, h.Line, core.SetHealthPolicy{Policy: want}, "health policy: %s", healthChange(is, &want))
	}
}

// healthChange names the keys under which two policies differ.
func healthChange(is, want *fleet.HealthPolicy) string {
	var keys []string
	for _, key := range []struct {
		name string
		same bool
	}{
		{"shadow", is.Shadow == want.Shadow},
		{"budget", is.Budget == want.Budget},
		{"breaker", is.Breaker == want.Breaker},
		{"burst", is.Burst == want.Burst},
		{"flap", is.Flap == want.Flap},
		{"lemon", is.Lemon == want.Lemon},
		{"hung", is.Hung == want.Hung},
		{"rules", (&fleet.HealthPolicy{Rules: is.Rules}).Equal(fleet.HealthPolicy{Rules: want.Rules})},
	} {
		if !key.same {
			keys = append(keys, key.name)
		}
	}
	return strings.Join(keys, ", ")
}
