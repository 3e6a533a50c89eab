package fleet

import (
	"cmp"
	"slices"
	"time"
)

// This file moves workloads through their lives. enqueue.go puts them into queues.

// AddWorkload takes a submitted workload into the state and its queues.
func (s *State) AddWorkload(id uint64, spec Spec, at Instant) *Workload {
	w := &Workload{ID: id, Spec: spec, Submitted: at, State: Pending, PendingSince: at}
	s.shared.spec(&w.Spec)
	w.Replicas = make([][]Replica, len(spec.Pools))
	s.Workloads[id] = w
	s.NextID = max(s.NextID, id+1)
	s.names[w.fullName()] = w
	s.lives(w)
	s.requeue(w)
	return w
}

// End gives the workload its last state. One that finished holds nothing any
// more; one that was cancelled keeps its GPUs until its replicas have left.
func (s *State) End(w *Workload, state WorkloadState, at Instant) {
	if s.lookOn(w); w.Paused {
		s.lookAtAll() // planned work waits for it no longer
	}
	all := w.Spots(func(Replica) bool { return true })
	if state == Failed {
		s.noteFailure(w, at)
	}
	switch {
	case len(all) == 0:
	case state == Cancelled:
		w.GraceEnds = at.Add(w.Grace)
		s.LeaveAll(w)
	default:
		s.Drop(w, all)
	}
	if w.State.waits() {
		w.Waited += at.Sub(w.PendingSince)
	}
	w.State, w.Ended, w.For, w.Moves, w.Lost, w.LostLately = state, at, 0, nil, Few[int]{}, Few[LostNode]{}
	s.livesNoMore(w)
	s.requeue(w)
	s.watch(w)
	s.EndedOrder = append(s.EndedOrder, w.ID)
	if len(s.EndedOrder) > EndedMemory {
		oldest := s.EndedOrder[0]
		s.EndedOrder = s.EndedOrder[1:]
		s.forget(oldest)
	}
}

func (s *State) forget(id uint64) {
	w := s.Workloads[id]
	if w.partition != nil {
		s.EndedOrder = append(s.EndedOrder, id) // replicas of a cancelled workload may still be leaving
		return
	}
	s.unlist(w)
}

// unlist takes a workload out of the state, and its name where no later one has it.
func (s *State) unlist(w *Workload) {
	delete(s.Workloads, w.ID)
	s.livesNoMore(w)
	if key := w.fullName(); s.names[key] == w {
		delete(s.names, key)
	}
}

// Change edits a waiting workload's target, partition or priority, and puts it
// where it then belongs in the queues. It need not rest any longer.
func (s *State) Change(w *Workload, edit func(*Workload)) {
	s.unqueue(w)
	if w.account != nil {
		w.account.dropWork(w)
	}
	w.uncounted(func() { edit(w) })
	w.treeEnds, w.shape, w.Evicted = 0, 0, Few[Instant]{}
	if w.account != nil {
		w.account.addWork(w)
	}
	if w.partition != nil {
		w.partition.flexUse(w.Namespace).version++
		w.partition.Freed()
	}
	s.requeue(w)
}

// Recount gives a workload another target where it stands: its replicas keep their nodes, and those on their way out
// their orders. What was only reserved was so for the other target, and is given back.
func (s *State) Recount(w *Workload, target string, holds HeldAs) {
	if p := w.partition; p != nil {
		s.Unreserve(w, w.Spots(func(r Replica) bool { return r.Phase == Reserved }))
	}
	p, stood, orders := w.partition, w.copies(), w.Orders.Clone()
	s.unqueue(w)
	if p != nil {
		s.Drop(w, w.Spots(func(Replica) bool { return true }))
	}
	w.Target, w.treeEnds, w.shape, w.Orders = target, 0, 0, orders
	for pool, replicas := range stood {
		for _, r := range replicas {
			s.Place(w, p, []Spot{{Pool: pool, Nodes: []int{r.Node}}}, r.Phase, holds)
			w.Replicas[pool][len(w.Replicas[pool])-1].Order = r.Order
		}
	}
	s.requeue(w)
}

// copies are the workload's replicas, by pool: what becomes of those of the workload does not change them.
func (w *Workload) copies() [][]Replica {
	all := make([][]Replica, len(w.Replicas))
	for i, replicas := range w.Replicas {
		all[i] = slices.Clone(replicas)
	}
	return all
}

// uncounted takes the workload's nodes out of all counts while something changes
// that they depend on.
func (w *Workload) uncounted(change func()) {
	var nodes []int
	for _, replicas := range w.Replicas {
		for _, r := range replicas {
			nodes = append(nodes, r.Node)
		}
	}
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	for _, n := range nodes {
		w.partition.contribute(w.partition.Nodes[n], -1)
	}
	change()
	for _, n := range nodes {
		w.partition.contribute(w.partition.Nodes[n], 1)
	}
}

// Spots lists the workload's replicas that a choice names, pool by pool; those
// that obey an order to leave come first, order by order.
func (w *Workload) Spots(choose func(Replica) bool) []Spot {
	var spots []Spot
	for i, replicas := range w.Replicas {
		first := len(spots)
		for _, r := range replicas {
			if choose(r) {
				spots = mention(spots, first, i, r)
			}
		}
		slices.SortFunc(spots[first:], func(a, b Spot) int { return cmp.Compare(a.Order-1, b.Order-1) }) // 0 last
	}
	return spots
}

// SpotOf gathers the replicas of one pool that a choice names, whatever order they obey.
func (w *Workload) SpotOf(pool int, choose func(Replica) bool) Spot {
	spot := Spot{Pool: pool}
	for _, r := range w.Replicas[pool] {
		if choose(r) {
			spot.Nodes = append(spot.Nodes, r.Node)
		}
	}
	return spot
}

// mention adds a replica of a pool to the spot of its order, among those from first on.
func mention(spots []Spot, first, pool int, r Replica) []Spot {
	for i := first; i < len(spots); i++ {
		if spots[i].Order == r.Order {
			spots[i].Nodes = append(spots[i].Nodes, r.Node)
			return spots
		}
	}
	return append(spots, Spot{Pool: pool, Nodes: []int{r.Node}, Order: r.Order})
}

func (s WorkloadState) waits() bool { return s == Pending || s == Starting || s == Mending }

// Settle brings the workload's state, waiting time and places in queues in line
// with the replicas it has; core calls it after every change of replicas.
func (s *State) Settle(w *Workload, at Instant) {
	if !w.reserves() {
		w.Reserved = 0
	}
	if w.State.Ended() {
		s.watch(w)
		return
	}
	s.markLate(w, at)
	was, is := w.State, w.standing()
	w.State = is
	if is == RunningW && (was != is || w.grew) && !w.Flexes() && s.Kept().stopsAhead() {
		s.lookAtStart(w, at)
	}
	w.grew = false
	if is != Mending && !w.lacks() {
		w.Lost = Few[int]{}
	}
	w.countWaiting(was, at)
	s.beginOrEndRun(w, at)
	if is != Evicting && w.leaving() == 0 {
		w.GraceEnds, w.For = 0, 0
	}
	s.requeue(w)
	s.watch(w)
	if was != is {
		s.alarmsOfRest(w, at)
	}
}

// countWaiting adds up how long the workload has waited, where its state has changed that.
func (w *Workload) countWaiting(was WorkloadState, at Instant) {
	switch waits := w.State.waits(); {
	case was.waits() && !waits:
		w.Waited += at.Sub(w.PendingSince)
	case !was.waits() && waits:
		w.PendingSince = at
	}
}

// beginOrEndRun gives a workload that runs at last its number, and takes it from one that is back in its
// queue, which then goes where it was retargeted to.
func (s *State) beginOrEndRun(w *Workload, at Instant) {
	switch {
	case w.State == RunningW && w.Started == 0:
		w.Started, w.Run = at, s.Number()
		s.alarmsOf(w)
	case w.State == Pending:
		w.Started, w.Run = 0, 0
		if w.Moves != nil {
			w.Target, w.Partition, w.Moves = w.Moves.Target, w.Moves.Partition, nil
			w.treeEnds, w.shape, w.Evicted = 0, 0, Few[Instant]{}
		}
	}
}

func (w *Workload) leaving() int {
	n := 0
	for i := range w.Replicas {
		n += w.InPhase(i, Leaving)
	}
	return n
}

// standing derives the state from the lowest-rank pools.
func (w *Workload) standing() WorkloadState {
	base, whole, runs, stays, leaving, reserved := w.BaseRank(), true, 0, 0, 0, 0
	for i, p := range w.Pools {
		if p.Rank != base {
			continue
		}
		running := w.InPhase(i, Running)
		runs += running
		stays += w.Stays(i)
		reserved += w.InPhase(i, Reserved)
		leaving += w.InPhase(i, Leaving)
		enough := running >= p.Min || (p.Elastic && w.Started != 0)
		whole = whole && enough
	}
	switch {
	case whole && runs > 0 && w.lacks():
		return Mending // a gang of higher rank has lost nodes
	case whole && runs > 0:
		return RunningW
	case stays == 0 && leaving > 0 && !w.staysAnywhere():
		return Evicting
	case w.Started != 0 && w.staysAnywhere():
		return Mending
	case reserved > 0:
		return Starting
	case w.GPUs() > 0:
		return Evicting
	}
	return Pending
}

func (w *Workload) staysAnywhere() bool {
	for i := range w.Pools {
		if w.Stays(i) > 0 {
			return true
		}
	}
	return false
}

// Unsaved is the work that an eviction now would lose, in time: what has run
// since the last checkpoint, or since the start where there are none.
func (w *Workload) Unsaved(now Instant) time.Duration {
	if w.Started == 0 {
		return 0
	}
	ran := now.Sub(w.Started)
	if w.CheckpointEvery > 0 {
		return ran % w.CheckpointEvery
	}
	return ran
}

// Overran says whether the workload runs past the maximum run time it declared,
// or did so before it was evicted.
func (w *Workload) Overran(now Instant) bool {
	return w.Late || w.MaxRuntime > 0 && w.Started != 0 && now.Sub(w.Started) > w.MaxRuntime
}

// markLate remembers of a workload that it overran: it takes its place in its
// queue by that too, or two of them would take turns.
func (s *State) markLate(w *Workload, at Instant) {
	if w.Late || !w.Overran(at) {
		return
	}
	s.unqueue(w)
	if w.account != nil {
		w.account.dropWork(w)
		defer w.account.addWork(w)
	}
	w.Late = true
}

// alarmsOf asks for looks at the moments when time changes what others may do
// about a workload: the end of its minimum run time, and of its declared maximum.
func (s *State) alarmsOf(w *Workload) { s.atAlarmsOf(w, s.alarm) }

// atAlarmsOf asks for those looks, or takes them back.
func (s *State) atAlarmsOf(w *Workload, do func(*Partition, Instant, alarmKind)) {
	if w.Flexes() {
		do(w.partition, w.Started.Add(s.Policy.FlexRun()), ofFlex)
	}
	if w.MaxRuntime > 0 {
		do(w.partition, w.Started.Add(w.MaxRuntime+1), ofAge)
	}
}
