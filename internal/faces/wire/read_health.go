package wire

import (
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// ReadSignals reads what monitors say about nodes.
func ReadSignals(m *musterv1.SendSignalsRequest) (core.TakeSignals, error) {
	c := core.TakeSignals{Signals: make([]fleet.Signal, len(m.GetSignals()))}
	for i, x := range m.GetSignals() {
		at, err := ReadInstant(fmt.Sprintf("signals[%d].generated_timestamp", i), x.GetGeneratedTimestamp())
		if err != nil {
			return c, err
		}
		c.Signals[i] = fleet.Signal{
			ID: x.GetId(), Agent: x.GetAgent(), Component: x.GetComponentClass(), Check: x.GetCheckName(), Node: x.GetNodeName(),
			Codes: x.GetErrorCodes(), Fatal: x.GetIsFatal(), Well: x.GetIsHealthy(), StoreOnly: x.GetProcessingStrategy() == "STORE_ONLY",
			Action: x.GetRecommendedAction(), Message: x.GetMessage(), At: at,
		}
		for _, e := range x.GetEntitiesImpacted() {
			c.Signals[i].Entities = append(c.Signals[i].Entities, fleet.Entity{Type: e.GetType(), Value: e.GetValue()})
		}
	}
	return c, nil
}

// ReadSetHealthPolicy lays what the message says over the policy in force.
func ReadSetHealthPolicy(now fleet.HealthPolicy, m *musterv1.SetHealthPolicyRequest) (core.SetHealthPolicy, error) {
	p, err := readHealthPolicy(now, m.GetPolicy())
	return core.SetHealthPolicy{Policy: p}, err
}

// spans reads durations, and keeps the first that is none.
type spans struct{ err error }

func (s *spans) read(field string, d *durationpb.Duration) time.Duration {
	if d == nil || s.err != nil {
		return 0
	}
	v, err := ReadDuration("policy."+field, d)
	s.err = err
	return v
}

func (s *spans) share(field string, x float64) fleet.Permille {
	p, err := readPermille("policy."+field, x)
	if s.err == nil {
		s.err = err
	}
	return p
}

func (s *spans) rule(r *musterv1.HealthRule) fleet.HealthRule {
	return fleet.HealthRule{
		Name: r.GetName(), Agents: r.GetAgents(), Checks: r.GetChecks(), Codes: r.GetCodes(), Actions: r.GetActions(),
		Fatal: r.GetFatal(), Then: fleet.NodeState(r.GetThen()), Times: int(r.GetTimes()),
		Within: s.read("rules.within", r.GetWithin()), Lasts: s.read("rules.lasts", r.GetLasts()),
		Quiet: s.read("rules.quiet", r.GetQuiet()), Stays: s.read("rules.stays", r.GetStays()), Needs: r.GetNeeds(), Own: r.GetOwn(),
	}
}

// readHealthPolicy is a policy with what a message names put over it.
func readHealthPolicy(now fleet.HealthPolicy, p *musterv1.HealthPolicy) (fleet.HealthPolicy, error) {
	s := &spans{}
	if p.Shadow != nil {
		now.Shadow = p.GetShadow()
	}
	if p.Budget != nil {
		now.Budget = s.share("budget", p.GetBudget())
	}
	if b := p.GetBreaker(); b != nil {
		now.Breaker = fleet.BreakerPolicy{Share: s.share("breaker.share", b.GetShare()), Least: int(b.GetLeast()), Within: s.read("breaker.within", b.GetWithin())}
	}
	if b := p.GetBurst(); b != nil {
		now.Burst = fleet.BurstPolicy{Nodes: int(b.GetNodes()), Within: s.read("burst.within", b.GetWithin()), CoolDown: s.read("burst.cool_down", b.GetCoolDown())}
	}
	if f := p.GetFlap(); f != nil {
		now.Flap = fleet.FlapPolicy{Times: int(f.GetTimes()), Within: s.read("flap.within", f.GetWithin()), CoolDown: s.read("flap.cool_down", f.GetCoolDown())}
	}
	if l := p.GetLemon(); l != nil {
		now.Lemon = fleet.LemonPolicy{Factor: fleet.PermilleOf(l.GetFactor()), Certainty: s.share("lemon.certainty", l.GetCertainty()), Window: s.read("lemon.window", l.GetWindow())}
	}
	if p.GetHung() != nil {
		now.Hung = s.read("hung", p.GetHung())
	}
	if p.GetRules() != nil {
		now.Rules = nil
		for _, r := range p.GetRules().GetRules() {
			now.Rules = append(now.Rules, s.rule(r))
		}
	}
	return now, s.err
}
