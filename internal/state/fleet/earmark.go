package fleet

import "slices"

// A hold inside a quota earmarks part of the quota's backing for a user or a
// namespace (semantics §4). This file counts work against a backing of which
// holds take their part; what that means is in docs/adr/0007.

// Inside says whether the hold is one inside a quota; else it earmarks free
// capacity for the quota.
func (h *Hold) Inside() bool { return h.User != "" || h.Namespace != "" }

// Holder is whom the hold inside a quota is for: user:NAME, namespace:NAME or workload:NAMESPACE/NAME.
func (h *Hold) Holder() string {
	switch {
	case h.User != "":
		return "user:" + h.User
	case h.Work != "":
		return "stopped work of namespace:" + h.Namespace // whose name is for its readers
	}
	return "namespace:" + h.Namespace
}

// For says whether a workload is the holder's, or the holder.
func (h *Hold) For(w *Workload) bool {
	if h.Work != "" {
		return h.Namespace == w.Namespace && h.Work == w.Name
	}
	return h.Serves(w.User, w.Namespace)
}

// Serves says whether any work of a user in a namespace is the holder's.
func (h *Hold) Serves(user, namespace string) bool {
	if h.User != "" {
		return h.User == user
	}
	return h.Namespace != "" && h.Namespace == namespace && h.Work == ""
}

// InsideHolds lists the holds inside the quota here, those for users first, then in
// order of ID. The slice is the account's own.
func (a *Account) InsideHolds() []*Hold { return a.insideHolds }

// InsideHeldGPUs is the GPUs that holds inside the quota earmark here.
func (a *Account) InsideHeldGPUs() int {
	t := 0
	for _, h := range a.insideHolds {
		t += h.GPUs
	}
	return t
}

// earmark makes a hold inside a quota known to its account.
func (a *Account) earmark(h *Hold) {
	a.insideHolds = append(a.insideHolds, h)
	slices.SortFunc(a.insideHolds, byHolder)
	a.queue.refile()
	a.countInsideHolds(1)
}

// unearmark takes a hold out again.
func (a *Account) unearmark(h *Hold) {
	a.insideHolds = remove(a.insideHolds, func(x *Hold) bool { return x == h })
	a.queue.refile()
	a.countInsideHolds(-1)
}

// countInsideHolds counts holds into (or out of) the tree. Where there are some, GPUs that
// fit the backing may not fit beside them, so its work is looked at anew.
func (a *Account) countInsideHolds(holds int) {
	t := a.root
	was := t.unsettled()
	t.insideHolds += holds
	if t.unsettled() != was {
		a.partition.unsettled = flip(a.partition.unsettled, t, byRoot)
	}
}

func byHolder(g, h *Hold) int {
	switch {
	case (g.User == "") != (h.User == "") && g.User != "":
		return -1
	case (g.User == "") != (h.User == ""):
		return 1
	case g.ID < h.ID:
		return -1
	}
	return 1
}

// Earmarks counts work of a quota, in the order in which it is told, against the
// quota's backing: what the holder of a hold runs uses the hold first, everything
// else uses what no hold has. Without holds it counts GPUs, and no more.
type Earmarks struct {
	holds []*Hold
	left  []int // of each hold; more than the backing has is not held
	rest  int   // of what no hold has; negative: work told so far did not fit
}

// Earmarks starts a count with nothing counted.
func (a *Account) Earmarks() Earmarks {
	e := Earmarks{holds: a.insideHolds, rest: a.BackedGPUs()}
	if len(a.insideHolds) == 0 {
		return e
	}
	e.left = make([]int, len(a.insideHolds))
	for i, h := range a.insideHolds {
		e.left[i] = min(h.GPUs, e.rest)
		e.rest -= e.left[i]
	}
	return e
}

// Clone copies the count.
func (e Earmarks) Clone() Earmarks {
	e.left = slices.Clone(e.left)
	return e
}

// Take counts GPUs of a workload and says whether they fit.
func (e *Earmarks) Take(w *Workload, gpus int) bool {
	for i, h := range e.holds {
		if h.For(w) {
			use := min(e.left[i], gpus)
			e.left[i], gpus = e.left[i]-use, gpus-use
		}
	}
	e.rest -= gpus
	return gpus == 0 || e.rest >= 0
}

// Fits says whether GPUs of a workload would fit.
func (e *Earmarks) Fits(w *Workload, gpus int) bool { return e.Short(w, gpus) == 0 }

// Short is how many of a workload's GPUs would not fit.
func (e *Earmarks) Short(w *Workload, gpus int) int {
	return max(0, gpus-e.Own(w)-max(0, e.rest))
}

// Own is what is left of the holds that are for a workload.
func (e *Earmarks) Own(w *Workload) int { return e.leftWhere(func(h *Hold) bool { return h.For(w) }) }

// NotOwn is what is left of the holds that are for other work.
func (e *Earmarks) NotOwn(w *Workload) int {
	return e.leftWhere(func(h *Hold) bool { return !h.For(w) })
}

// Left is what is left of the holds that are for any work of a user in a namespace.
func (e *Earmarks) Left(user, namespace string) int {
	return e.leftWhere(func(h *Hold) bool { return h.Serves(user, namespace) })
}

func (e *Earmarks) leftWhere(counts func(*Hold) bool) (gpus int) {
	for i, h := range e.holds {
		if counts(h) {
			gpus += e.left[i]
		}
	}
	return gpus
}

// LeftOf is what is left of one hold.
func (e *Earmarks) LeftOf(h *Hold) int {
	if i := slices.Index(e.holds, h); i >= 0 {
		return e.left[i]
	}
	return 0
}

// Others is what is left of the holds that are for other users and namespaces, or for one workload.
func (e *Earmarks) Others(user, namespace string) int {
	return e.leftWhere(func(h *Hold) bool { return !h.Serves(user, namespace) })
}

// Lendable is the GPUs of its siblings' backing that what stays of them does not use.
func (a *Account) Lendable(stays func(*Account) int) int {
	t := 0
	for _, x := range a.root.accounts {
		if x != a {
			t += max(0, x.BackedGPUs()-stays(x))
		}
	}
	return t
}

// UsedOf is the GPUs of a hold inside the quota that the holder's work uses.
func (a *Account) UsedOf(h *Hold) int {
	all, left := a.Earmarks(), a.Standing()
	return all.LeftOf(h) - left.LeftOf(h)
}

// Standing counts everything that stays of the account's work, in the quota's order.
func (a *Account) Standing() Earmarks {
	return a.StandingBut(func(*Workload) int { return 0 })
}

// StandingBut is Standing without so many GPUs of each workload.
func (a *Account) StandingBut(gone func(*Workload) int) Earmarks {
	e := a.Earmarks()
	for _, w := range a.work {
		gpus := -gone(w)
		for i, pool := range w.Pools {
			gpus += w.Stays(i) * pool.GPUs
		}
		e.Take(w, gpus)
	}
	return e
}

// AddHold adds a hold.
func (s *State) AddHold(h Hold) {
	s.Holds = append(s.Holds, &h)
	s.NextHold = max(s.NextHold, h.ID+1)
	p := s.Partition(h.Partition)
	s.alarm(p, h.Until, ofMetal)
	if h.Inside() {
		a := p.EnsureAccount(h.Quota)
		a.earmark(&h)
		a.touch()
		s.lookAt(p)
		p.freed(a.tree) // the holder need not wait for those ahead any more
	}
}

// EndHold leaves this many GPUs of a hold; none: it is gone.
func (s *State) EndHold(id uint64, left int) {
	for _, h := range s.Holds {
		if h.ID == id {
			h.GPUs = left
			s.unearmark(h)
		}
	}
	s.Holds = remove(s.Holds, func(h *Hold) bool { return h.GPUs == 0 })
}

// unearmark says that a hold inside a quota has become smaller, or is gone:
// others may start, and work that runs may come inside the backing.
func (s *State) unearmark(h *Hold) {
	if !h.Inside() {
		return
	}
	p := s.Partition(h.Partition)
	a := p.EnsureAccount(h.Quota)
	if h.GPUs == 0 {
		a.unearmark(h)
	}
	a.touch()
	s.lookAt(p)
	p.freed(a.tree)
}
