package maintenance

import "github.com/muster-fleet/muster/internal/state/fleet"

// Stage is a part of a rollout that has not begun: its canary, or a wave.
type Stage struct {
	Name  string
	Nodes int
}

// StagesOf says how many nodes each stage of a rollout visits that is at its canary. Nodes that have nothing to prove, and
// waves that leave no node to visit, are no stage.
func StagesOf(s *fleet.State, r *fleet.Rollout, now fleet.Instant) (stages []Stage) {
	l := newLook(s, now)
	c := l.counted(r)
	canary := min(r.Canary.Nodes*l.unproven(c), len(c.pending)+c.visits)
	if canary > 0 {
		stages = append(stages, Stage{stageName(0), canary})
	}
	wave := *r
	wave.Base = c.done + c.failed + canary
	before := wave.Base
	for wave.Stage = 1; wave.Stage <= len(r.Waves); wave.Stage++ {
		ends := waveEnds(&wave, c)
		if n := ends - before; n > 0 {
			stages = append(stages, Stage{stageName(wave.Stage), n})
		}
		before = max(before, ends)
	}
	return stages
}

// unproven is how many configurations are to be proven: those to which visits lead that have begun, too.
func (l *look) unproven(c census) (n int) {
	for _, t := range l.targetsOf(c.pending) {
		if t.Verdict == fleet.Untested {
			n++
		}
	}
	return n
}
