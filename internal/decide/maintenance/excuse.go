package maintenance

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Excuse is what follows where people know that the failures of canaries had another cause than the configurations to which
// a rollout leads: these are untested again, and their canaries show nothing. The rollout is among those that change.
func Excuse(s *fleet.State, r fleet.Rollout, why string, now fleet.Instant) (rollouts []fleet.Rollout, proofs []fleet.Proof) {
	var leads []string
	for _, t := range Of(s, &r, now).Targets {
		if t.Verdict == fleet.Rejected {
			leads = append(leads, fleet.LeadTo(t.GPU, t.Hash))
			proofs = append(proofs, fleet.Proof{GPU: t.GPU, Hash: t.Hash, Verdict: fleet.Untested, At: now, Why: "the failure had another cause: " + why})
		}
	}
	for _, o := range s.Kept().Rollouts {
		if o.Name == r.Name {
			o = &r
		}
		if c, changed := excused(*o, leads, why); changed || o == &r {
			rollouts = append(rollouts, c)
		}
	}
	return rollouts, proofs
}

// excused is a rollout whose failed canaries of some configurations show nothing any more. Their nodes may be visited again.
func excused(r fleet.Rollout, leads []string, why string) (c fleet.Rollout, changed bool) {
	r.Trials = slices.Clone(r.Trials)
	for i := range r.Trials {
		t := &r.Trials[i]
		if !t.Ended || t.Passed || voided(*t) || !slices.Contains(leads, fleet.LeadTo(t.GPU, t.Hash)) {
			continue
		}
		t.Excused, changed = why, true
		r.Failed = slices.DeleteFunc(slices.Clone(r.Failed), func(node string) bool { return node == t.Node })
	}
	return r, changed
}
