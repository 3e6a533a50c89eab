package fleet

import "time"

// Unmeasured stands for a figure that was not measured.
const Unmeasured Permille = -1

// Usage is what a workload's GPUs were last seen to do, in thousandths of full
// activity, and since when they have been quiet. A Usage is replaced, never changed.
type Usage struct {
	SM      Permille `json:"sm"`
	Tensor  Permille `json:"tensor"`  // or Unmeasured
	Network Permille `json:"network"` // or Unmeasured
	At      Instant  `json:"at"`
	// IdleSince: SM has been under the idle threshold since then; 0: it is not.
	IdleSince Instant `json:"idleSince,omitempty"`
	// StillSince: SM has been at or above it, tensor cores and network both under it; 0: not so.
	StillSince Instant `json:"stillSince,omitempty"`
}

// Idle says whether the plain figure is under a threshold.
func (u Usage) Idle(threshold Permille) bool { return u.SM < threshold }

// Still says whether the plain figure looks busy while neither tensor cores nor
// the network do anything: how a hung collective looks. Where one of the two is
// not measured it is not known, so it is not still.
func (u Usage) Still(threshold Permille) bool {
	return u.SM >= threshold &&
		u.Tensor != Unmeasured && u.Tensor < threshold &&
		u.Network != Unmeasured && u.Network < threshold
}

// Measure keeps what a workload's GPUs are seen to do from now on; without SM it is
// not measured any more.
func (s *State) Measure(w *Workload, sm, tensor, network Permille, at Instant) {
	if sm == Unmeasured {
		w.Usage = nil
		return
	}
	u := &Usage{SM: sm, Tensor: tensor, Network: network, At: at}
	was := Usage{}
	if w.Usage != nil {
		was = *w.Usage
	}
	threshold := s.Policy.Idle.Threshold
	u.IdleSince = since(u.Idle(threshold), was.IdleSince, at)
	u.StillSince = since(u.Still(threshold), was.StillSince, at)
	w.Usage = u
}

func since(so bool, was, now Instant) Instant {
	switch {
	case !so:
		return 0
	case was != 0:
		return was
	}
	return now
}

// IdleFor is how long the workload's GPUs have been idle by the plain figure
// while it ran; 0 if they are not, if it does not run or was not measured.
func (w *Workload) IdleFor(now Instant) time.Duration {
	if w.Usage == nil {
		return 0
	}
	return w.ranSince(w.Usage.IdleSince, now)
}

// StillFor is how long the workload has looked busy by the plain figure while
// neither its tensor cores nor its network did anything.
func (w *Workload) StillFor(now Instant) time.Duration {
	if w.Usage == nil {
		return 0
	}
	return w.ranSince(w.Usage.StillSince, now)
}

// ranSince is the time from a moment to now in which the workload ran without
// a break: what was measured before its last start says nothing about now.
func (w *Workload) ranSince(from, now Instant) time.Duration {
	if from == 0 || w.State != RunningW && w.State != Mending {
		return 0
	}
	return max(0, now.Sub(max(from, w.Started)))
}
