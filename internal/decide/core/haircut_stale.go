package core

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/decide/haircut"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// A plan stays true while the fleet lives on. A wave is stale only where what was decided no
// longer holds: a grant that it cuts has changed, or less is over than it cuts. Then it is said
// what changed, and how to plan again. What a wave touches is found out anew when it is applied.
// Where that is more than its people were told, it needs a reason, as any cut does (semantics §4).

// movedOn refuses a wave that no longer cuts what it was made to cut.
func movedOn(s *fleet.State, h *fleet.Haircut, w fleet.Wave, now fleet.Instant) *Refusal {
	var changed []string
	for _, part := range w.Parts {
		p := s.Partition(part.Partition)
		gpus := 0
		for _, c := range part.Cuts {
			gpus += c.GPUs()
			if text := changedSince(p, c); text != "" {
				changed = append(changed, text)
			}
		}
		if text := needless(s, h, part, gpus, now); text != "" {
			changed = append(changed, text)
		}
	}
	return stalePlan(h, s, changed)
}

// changedSince says how a grant differs from the one that a plan cuts; "": it does not.
func changedSince(p *fleet.Partition, c fleet.Cut) string {
	a, was := p.Account(c.Quota), fleet.Temporary{}
	if c.Temporary != nil {
		was = *c.Temporary
	}
	switch {
	case a == nil:
		return fmt.Sprintf("%s has nothing in %s any more", c.Quota, p.ID)
	case a.Grant != c.Was && was.GPUs > 0 && a.Temporary.GPUs == 0:
		return fmt.Sprintf("the grant of %s in %s was %s and is %s: %s of them ended at %s", c.Quota, p.ID, text.Count(c.Was, "GPU"), text.Group(a.Grant), text.Group(was.GPUs), momentText(was.Until))
	case a.Grant != c.Was:
		return fmt.Sprintf("the grant of %s in %s was %s and is %s", c.Quota, p.ID, text.Count(c.Was, "GPU"), text.Group(a.Grant))
	case a.Gang != c.Gang:
		return fmt.Sprintf("the gang of %s in %s was %s and is %s", c.Quota, p.ID, text.Count(c.Gang, "GPU"), text.Group(a.Gang))
	case a.Temporary.GPUs != was.GPUs || a.Temporary.Until != was.Until:
		return fmt.Sprintf("of the grant of %s in %s other GPUs end by themselves, or at another moment", c.Quota, p.ID)
	}
	return ""
}

// needless says that less is over in a partition than the wave cuts there; "": as much
// is. On the basis of quotas no excess is the reason, and the partition's size is.
func needless(s *fleet.State, h *fleet.Haircut, part fleet.CutPart, gpus int, now fleet.Instant) string {
	p := s.Partition(part.Partition)
	if h.Basis == fleet.BasisQuota {
		if n := p.Tally().Installed; n != part.Installed {
			return fmt.Sprintf("%s had %s installed and has %s", p.ID, text.Count(part.Installed, "GPU"), text.Group(n))
		}
		return ""
	}
	can := haircut.Sustainable(haircut.Under(s, h.Buffer), p, now)
	over, was := p.Assigned()-can, part.Assigned-part.Sustainable
	if over >= min(gpus, was) {
		return ""
	}
	return fmt.Sprintf("%s has %s assigned (it had %s) and can sustain %s (%s): %s are over, and this wave cuts %s",
		p.ID, text.Count(p.Assigned(), "GPU"), text.Group(part.Assigned), text.Group(can), text.Group(part.Sustainable), text.Group(max(0, over)), text.Group(gpus))
}

// mostChanges is how many changes a message lists.
const mostChanges = 5

// stalePlan refuses a wave because of what has changed; nil: nothing has.
func stalePlan(h *fleet.Haircut, s *fleet.State, changed []string) *Refusal {
	if len(changed) == 0 {
		return nil
	}
	text := strings.Join(changed[:min(len(changed), mostChanges)], "; ")
	if more := len(changed) - mostChanges; more > 0 {
		text += fmt.Sprintf("; and %d more changes", more)
	}
	return refuse(Stale, "this wave of haircut %s cannot be applied any more: %s. Plan again: %s", h.Name, text, planAgain(s, h)).
		with(map[string]int{"planned": int(h.Version), "now": int(s.Seq)})
}

// planAgain is the command that makes the same plan from the fleet as it is now.
func planAgain(s *fleet.State, h *fleet.Haircut) string {
	words := []string{"muster haircut plan"}
	if h.Scope != "" {
		words = append(words, h.Scope)
	}
	if h.Basis == fleet.BasisQuota {
		words = append(words, "--basis quota")
	}
	if b := h.Buffer; b != nil {
		words = append(words, "--policy "+fleet.PolicyWord(b.Kind, float64(b.Share)/10))
	}
	return strings.Join(append(words, "--save "+nextName(s, h.Name)), " ")
}

// nextName is a name that no plan has yet: autumn-2 after autumn.
func nextName(s *fleet.State, name string) string {
	stem := name
	if at := strings.LastIndexByte(name, '-'); at > 0 && at < len(name)-1 && strings.Trim(name[at+1:], "0123456789") == "" {
		stem = name[:at]
	}
	for n := 2; ; n++ {
		if made := fmt.Sprintf("%s-%d", stem, n); s.Haircut(made) == nil {
			return made
		}
	}
}

// touchesUntold refuses a wave without a reason that would by now touch more running work of a
// quota than its people were told. Work comes and goes; whose it is stays.
func touchesUntold(s *fleet.State, r Request, h *fleet.Haircut, w fleet.Wave, now fleet.Instant) *Refusal {
	if r.Reason != "" || !r.asksLeave() {
		return nil
	}
	tried := w
	tried.Parts = slices.Clone(w.Parts)
	ahead := func() *fleet.State { return s.ForkAhead(aheadOfCut) } // all others wait for it, and running work is on it
	tryWaves(ahead, []fleet.Wave{tried}, now)
	var untold []string
	for i, part := range tried.Parts {
		was := w.Parts[i]
		untold = append(untold, beyond(w, was, was.Unprotected, part.Unprotected, "becomes unprotected")...)
		untold = append(untold, beyond(w, was, was.Evicted, part.Evicted, "is evicted")...)
		untold = append(untold, beyond(w, was, was.Requeued, part.Requeued, "loses its reserved room")...)
	}
	if len(untold) == 0 {
		return nil
	}
	return r.refused(refuse(ReasonNeeded, "this wave touches more running work by now than its people were told: %s; say why (--reason), and they are told; or plan again: %s", text.Few(untold, mostNamed), planAgain(s, h)).
		with(map[string]int{"workloads": len(untold)}))
}

// beyond names the work that is touched of quotas of which more is touched than was planned. A wave
// that takes what is in use may touch as much as it cuts.
func beyond(w fleet.Wave, part fleet.CutPart, planned, found []fleet.Touched, how string) (untold []string) {
	most, now := gpusByQuota(planned), gpusByQuota(found)
	if w.Class != fleet.CutRecords && w.Class != fleet.CutUnscheduled {
		for _, c := range part.Cuts {
			most[c.Quota] = max(most[c.Quota], c.GPUs())
		}
	}
	for _, t := range newly(planned, found) {
		if now[t.Quota] > most[t.Quota] {
			untold = append(untold, fmt.Sprintf("%s (%s of %s in %s) %s", t.Workload, text.Count(t.GPUs, "GPU"), t.Quota, part.Partition, how))
		}
	}
	return untold
}

func gpusByQuota(list []fleet.Touched) map[string]int {
	sums := map[string]int{}
	for _, t := range list {
		sums[t.Quota] += t.GPUs
	}
	return sums
}
