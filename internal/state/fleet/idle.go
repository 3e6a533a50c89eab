package fleet

// Idle is the GPUs that the account's workloads hold here and have left idle for
// at least the idle window of the policy (semantics §1).
func (a *Account) Idle(now Instant) int {
	n := 0
	for _, w := range a.work {
		if w.Usage == nil || w.IdleFor(now) == 0 || w.IdleFor(now) < a.partition.state.Policy.Idle.Window {
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
