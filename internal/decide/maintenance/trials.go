package maintenance

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// trials ends the soaks of canaries, and judges the configurations that they ran. A soak that has ended tells nothing new
// before something happens that concerns its rollout.
func (l *look) trials() (Action, bool) {
	for _, r := range l.m.Rollouts {
		for i := range r.Trials {
			t := &r.Trials[i]
			if t.Ended && !l.due(r) {
				continue
			}
			if a, ok := l.endTrial(r, i); ok {
				return a, true
			}
			if a, ok := l.judge(r, t); ok {
				return a, true
			}
		}
	}
	return Action{}, false
}

// void is why a canary proved nothing: what took it was not the update.
const void = "taken out by others"

// voided says whether a canary shows nothing: others took it, or its failure is known to have another cause.
func voided(t fleet.Trial) bool { return t.Why == void || t.Excused != "" }

// endTrial ends the soak of a canary: it is over, or the node failed in it.
func (l *look) endTrial(r *fleet.Rollout, at int) (Action, bool) {
	t := r.Trials[at]
	if t.Ended || t.Until == 0 {
		return Action{}, false
	}
	p, i := l.s.FindNode(t.Node)
	if p == nil {
		return Action{}, false
	}
	n := p.Nodes[i]
	switch {
	case provesNothing(n):
		t.Why = "the node became " + string(n.State) + " in its soak"
		if n.Signal != "" {
			t.Why += ": " + n.Signal
		}
	case n.State == fleet.Maintenance || n.State == fleet.Retired:
		t.Why = void
	default:
		if t.Until > l.now || n.State == fleet.Suspect {
			return Action{}, false
		}
		t.Passed = true
	}
	t.Ended = true
	c := *r
	c.Trials = slices.Clone(r.Trials)
	c.Trials[at] = t
	if !t.Passed && !voided(t) && !r.FailedOn(t.Node) {
		c.Failed = append(slices.Clip(r.Failed), t.Node) // it runs what fails: nothing more is brought to it
	}
	return Action{Kind: MoveRollout, Rollout: c}, true
}

// judge says what an ended canary shows of its configuration: one failure rejects it, enough
// passed soaks prove it.
func (l *look) judge(r *fleet.Rollout, t *fleet.Trial) (Action, bool) {
	if !t.Ended || voided(*t) || l.m.Verdict(t.GPU, t.Hash) != fleet.Untested {
		return Action{}, false
	}
	proof := fleet.Proof{GPU: t.GPU, Hash: t.Hash, Verdict: fleet.Rejected, At: l.now, Nodes: []string{t.Node}, Why: t.Why}
	if t.Passed {
		proof.Verdict, proof.Nodes = fleet.Proven, nil
		for _, o := range r.Trials {
			if o.Passed && o.Hash == t.Hash && o.GPU == t.GPU {
				proof.Nodes = append(proof.Nodes, o.Node)
			}
		}
		if len(proof.Nodes) < r.Canary.Nodes {
			return Action{}, false
		}
	}
	if p, i := l.s.FindNode(t.Node); p != nil {
		b := BundleFor(l.m, t.Updates, t.GPU)
		proof.Runs = p.Nodes[i].Runs.With(b.Brings...)
	}
	return Action{Kind: Judge, Proof: proof}, true
}

// soaking counts the canaries of a configuration that are under way or have passed, and says when
// the first of those under way has ended its soak; 0: not known.
func soaking(r *fleet.Rollout, gpu, hash string) (under, passed int, until fleet.Instant) {
	for _, t := range r.Trials {
		switch {
		case t.Hash != hash || t.GPU != gpu:
		case !t.Ended:
			if under++; t.Until != 0 && (until == 0 || t.Until < until) {
				until = t.Until
			}
		case t.Passed:
			passed++
		}
	}
	return under, passed, until
}
