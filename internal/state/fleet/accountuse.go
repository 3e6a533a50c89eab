package fleet

import "time"

// DayHigh is the most GPUs that a quota used in a partition on one day.
type DayHigh struct {
	Day  int `json:"day"` // days since 1970, UTC
	GPUs int `json:"gpus"`
}

// HighMemory is how many days the state remembers what a quota used at most.
const HighMemory = 90

const day = Instant(24 * time.Hour)

// HighestUse is the most GPUs that the quota has used here within the last
// HighMemory days, up to now. Only what stood at the end of a record counts.
func (a *Account) HighestUse(now Instant) int {
	most, first := a.usage, int(now/day)-HighMemory
	for _, h := range a.Highs {
		if h.Day > first {
			most = max(most, h.GPUs)
		}
	}
	return most
}

// KeepHighs remembers the use of the accounts where it changed in the record
// that ends now. A level that lasted counts for the day it ended on, so a quota
// whose use never changes has no entries, and needs none.
func (s *State) KeepHighs(now Instant) {
	for _, a := range s.spent {
		a.spent = false
		a.keepHigh(int(now / day))
	}
	s.spent = nil
}

func (a *Account) keepHigh(today int) {
	if a.usage == a.level {
		return
	}
	most := max(a.usage, a.level)
	a.level = a.usage
	last := len(a.Highs) - 1
	if last >= 0 && a.Highs[last].Day == today {
		a.Highs[last].GPUs = max(a.Highs[last].GPUs, most)
		return
	}
	a.Highs = remove(a.Highs, func(h DayHigh) bool { return h.Day <= today-HighMemory })
	a.Highs = append(a.Highs, DayHigh{today, most})
}

// settleHighs takes what accounts use now for what they used at the end of the
// last record, as it was when the state was encoded.
func (s *State) settleHighs() {
	for _, p := range s.Partitions {
		for _, a := range p.Accounts {
			a.level, a.spent = a.usage, false
		}
	}
	s.spent = nil
}

// Idle is the GPUs that the account's workloads hold here and have left idle for
// at least the idle window of the policy (semantics §1).
func (a *Account) Idle(now Instant) int {
	window := a.partition.state.Policy.Idle.Window
	return a.heldBy(func(w *Workload) bool {
		idle := w.Usage != nil && w.IdleFor(now) != 0
		return idle && w.IdleFor(now) >= window
	})
}

// Measured is the GPUs that the account's workloads hold here and whose utilisation a
// monitor has measured: whether the others are busy is not known.
func (a *Account) Measured() int {
	return a.heldBy(func(w *Workload) bool { return w.Usage != nil })
}

// heldBy is the GPUs that some of the account's workloads hold here.
func (a *Account) heldBy(which func(*Workload) bool) int {
	n := 0
	for _, w := range a.work {
		if !which(w) {
			continue
		}
		for pool, replicas := range w.Replicas {
			for _, r := range replicas {
				if r.Phase != Reserved {
					n += w.Pools[pool].GPUs
				}
			}
		}
	}
	return n
}
