package api

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// proposalOf is a proposal as its readers see it: with each thing that it changes, from and to.
func proposalOf(s *fleet.State, p *fleet.Proposal) *musterv1.Proposal {
	out := wire.Proposal(p)
	out.Says = proposalSays(s, p)
	out.Stale = p.State == fleet.ProposalOpen && core.MovedOn(s, p)
	return out
}

// proposalSays is what a proposal would do, in words that follow "would". A policy is compared with the one it was made
// under; all else with what is so now, while the proposal is open.
func proposalSays(s *fleet.State, p *fleet.Proposal) string {
	command, ok := core.Proposed(p)
	if !ok {
		return p.Says
	}
	switch c := command.(type) {
	case core.SetPolicy:
		return changing("the policy", words.PolicyChange(madeUnder[fleet.Policy](p), c.Policy))
	case core.SetHealthPolicy:
		was := fleet.DefaultHealth()
		if p.Base != "null" {
			was = madeUnder[fleet.HealthPolicy](p)
		}
		return changing("the health policy", words.HealthChange(was, c.Policy))
	}
	if p.State != fleet.ProposalOpen {
		return p.Says
	}
	return cmp.Or(wouldDo(s, command), p.Says)
}

// madeUnder is the policy that a proposal was made under.
func madeUnder[T any](p *fleet.Proposal) (was T) {
	_ = json.Unmarshal([]byte(p.Base), &was) // the state wrote it itself
	return was
}

// changing says that something is set, and what of it changes.
func changing(what, changes string) string {
	if changes == "" {
		return "leave " + what + " as it was when this was proposed"
	}
	return "set " + what + ": " + changes
}

// wouldDo is what a command would change of what is so now; "": that is not known.
func wouldDo(s *fleet.State, command core.Command) string {
	switch c := command.(type) {
	case core.SetBuffer:
		return fmt.Sprintf("set the buffer of %s: %s → %s", c.Scope, bufferInFull(s.Buffers[c.Scope]), bufferInFull(c.Buffer))
	case core.SetMode:
		if is := s.Cluster(c.Cluster); is != nil {
			return fmt.Sprintf("set the mode of cluster %s: %s → %s", c.Cluster, is.Mode, c.Mode)
		}
	case core.SetGrant:
		return wouldGrant(s, c)
	case core.ApplyHaircut:
		return wouldCut(s, c)
	case core.UndoHaircut:
		return wouldGiveBack(s, c)
	}
	return ""
}

// bufferInFull is a buffer policy with all its numbers.
func bufferInFull(b fleet.Buffer) string {
	if b == (fleet.Buffer{}) {
		return bufferName(b)
	}
	return b.InFull()
}

func wouldGrant(s *fleet.State, c core.SetGrant) string {
	is := fleet.Account{}
	if p := s.Partition(c.Partition); p != nil && p.Account(c.Quota) != nil {
		is = *p.Account(c.Quota)
	}
	says := fmt.Sprintf("set the grant of %s in %s: %d → %s", c.Quota, c.Partition, is.Grant, text.Count(c.GPUs, "GPU"))
	switch {
	case c.None:
		return fmt.Sprintf("end the grant of %s in %s: %s → none", c.Quota, c.Partition, text.Count(is.Grant, "GPU"))
	case c.Until != 0:
		says = fmt.Sprintf("grant %s %s more of %s until %s, where it has %d", c.Quota, text.Count(c.GPUs, "GPU"), c.Partition, clock(c.Until), is.Grant)
	}
	if c.Until == 0 && !c.KeepGang && c.Gang != is.Gang {
		says += fmt.Sprintf(", gang %d → %d", is.Gang, c.Gang)
	}
	if c.Overcommit {
		says += ", also beyond what is sustainable"
	}
	return says
}

// wouldCut says what the wave cuts that is meant: the first that is not in force.
func wouldCut(s *fleet.State, c core.ApplyHaircut) string {
	h := s.Haircut(c.Name)
	if h == nil {
		return ""
	}
	for _, w := range h.Waves {
		if (w.Applied == 0 || w.Undone != 0) && (c.Cluster == "" || w.Cluster == c.Cluster) && (c.Class == "" || w.Class == c.Class) {
			return fmt.Sprintf("apply the wave of haircut %s in cluster %s (%s): %s", c.Name, w.Cluster, w.Class.Says(), cutsOf(w, func(cut fleet.Cut) (int, int) { return cut.Was, cut.Now }))
		}
	}
	return ""
}

// wouldGiveBack says what the wave gives back that is meant: the last that was applied.
func wouldGiveBack(s *fleet.State, c core.UndoHaircut) string {
	h := s.Haircut(c.Name)
	if h == nil {
		return ""
	}
	last := fleet.Wave{}
	for _, w := range h.Waves {
		if w.Applied > last.Applied && w.Undone == 0 && (c.Cluster == "" || w.Cluster == c.Cluster) {
			last = w
		}
	}
	if last.Applied == 0 {
		return ""
	}
	return fmt.Sprintf("undo the wave of haircut %s in cluster %s (%s): %s", c.Name, last.Cluster, last.Class.Says(), cutsOf(last, func(cut fleet.Cut) (int, int) { return cut.Now, cut.Was }))
}

// mostCutsSaid is how many cuts of a wave are said one by one.
const mostCutsSaid = 20

// cutsOf lists the cuts of a wave, each with what the grant is and becomes.
func cutsOf(w fleet.Wave, turn func(fleet.Cut) (from, to int)) string {
	var list []string
	for _, part := range w.Parts {
		for _, cut := range part.Cuts {
			if from, to := turn(cut); from != to {
				list = append(list, fmt.Sprintf("%s in %s %d → %s", cut.Quota, part.Partition, from, text.Count(to, "GPU")))
			}
		}
	}
	return cmp.Or(strings.TrimSpace(words.Few(list, mostCutsSaid)), "no grant changes")
}
