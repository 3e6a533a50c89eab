package fleet

import (
	"cmp"
	"strings"
)

// Waiting is a part of a workload that waits for room: its lowest-rank pools
// (Pool is Base) or one pool of higher rank of a workload that runs.
type Waiting struct {
	Workload *Workload
	Pool     int
	Key      Key

	// Memo is placement's.
	Memo Memo

	shape   int // see Shape
	rest    Rest
	kind    kind
	account *Account // for which it waits; nil on flex
}

// Account is the account in whose queue the unit waits; nil on flex.
func (a *Waiting) Account() *Account { return a.account }

// Shape numbers what of a waiting unit decides whether it finds room. Two units of one
// queue with the same shape, which are kept back alike, differ in age alone: where the
// elder finds no room the younger finds none. 0 is a unit like no other.
func (a *Waiting) Shape() int { return a.shape }

// Rest is how the unit was kept back when its queue was last told of the time: see Heard.
func (a *Waiting) Rest() Rest { return a.rest }

// ReadsMetal says whether it depends on which nodes are healthy, not on backing
// alone, whether a workload could head its queue: one that looks at racks does.
func (w *Workload) ReadsMetal() bool {
	return len(w.Pools) > 1 || w.Pools[0].Reach == ReachRack
}

// Base stands for the lowest-rank pools of a workload where a pool is asked for.
const Base = -1

// queue keeps what waits in the order in which it is served, and the first of
// each kind: decisions look at those alone, so their cost does not grow with
// how many wait behind them.
type queue struct {
	account   *Account   // nil on flex
	flex      *FlexUse   // nil in quota
	partition *Partition // on flex

	all    sortedQueue
	kinds  map[kind]*sortedQueue
	firsts []*Waiting // of each kind, in order
}

// kind is what units of a queue have in common of which the younger finds no room
// where the elder finds none. It is their shape, and how they are kept back. Where
// others hold part of the quota, it is also which of the holds are for them.
type kind struct {
	shape int
	rest  Rest
	holds string // a mark for each hold inside the quota

	// Of a unit like no other:
	id   uint64
	pool int
}

// queueSpot remembers in which queues a workload waits, so that it can leave them.
type queueSpot struct {
	queue     *queue
	pool      int
	partition *Partition
}

// Before says which of two units of a queue is served first.
func (a *Waiting) Before(b *Waiting) bool { return compareWaiting(a, b) < 0 }

func compareWaiting(a, b *Waiting) int {
	switch {
	case a.Key == b.Key:
		return cmp.Compare(a.Pool, b.Pool)
	case a.Key.Before(b.Key):
		return -1
	}
	return 1
}

func (q *queue) add(it Waiting) {
	own := &it
	if q.account != nil {
		own.account = q.account
		own.account.root.readers += reads(own)
	}
	q.all.add(own)
	q.file(own)
	if q.all.size == 1 {
		q.await()
	}
}

func (q *queue) remove(it Waiting) {
	own := q.all.find(&it)
	if own == nil || own.Workload != it.Workload {
		return
	}
	q.all.remove(own)
	q.unfile(own)
	if own.account != nil {
		own.account.root.readers -= reads(own)
	}
	if q.all.size == 0 {
		q.idle()
	}
}

func reads(it *Waiting) int {
	if it.Workload.ReadsMetal() {
		return 1
	}
	return 0
}

// file puts a unit among those of its kind.
func (q *queue) file(it *Waiting) {
	it.kind = q.kindOf(it)
	if q.kinds == nil {
		q.kinds = map[kind]*sortedQueue{}
	}
	like := q.kinds[it.kind]
	if like == nil {
		like = &sortedQueue{}
		q.kinds[it.kind] = like
	}
	was := like.first()
	like.add(it)
	if like.first() == it {
		q.lead(was, it)
	}
}

func (q *queue) unfile(it *Waiting) {
	like := q.kinds[it.kind]
	was := like.first()
	like.remove(it)
	if was == it {
		q.lead(it, like.first())
	}
	if like.size == 0 {
		delete(q.kinds, it.kind)
	}
}

// lead makes another unit the first of its kind; nil stands for none.
func (q *queue) lead(was, is *Waiting) {
	if was != nil {
		q.firsts = dropSorted(q.firsts, was, compareWaiting)
	}
	if is != nil {
		q.firsts = insertSorted(q.firsts, is, compareWaiting)
	}
}

func (q *queue) kindOf(it *Waiting) kind {
	if it.shape == 0 {
		return kind{id: it.Workload.ID, pool: it.Pool}
	}
	return kind{shape: it.shape, rest: it.rest, holds: q.account.holdsFor(it.Workload)}
}

// holdsFor marks which of the holds inside the quota are for a workload; "" where there are none.
func (a *Account) holdsFor(w *Workload) string {
	if a == nil || len(a.insideHolds) == 0 {
		return ""
	}
	marks := make([]byte, len(a.insideHolds))
	for i, h := range a.insideHolds {
		marks[i] = '-'
		if h.For(w) {
			marks[i] = '+'
		}
	}
	return string(marks)
}

// refile tells all kinds apart anew, since the holds inside the quota have changed.
func (q *queue) refile() {
	q.kinds, q.firsts = nil, nil
	for it := range q.all.each() {
		q.file(it)
	}
}

// list copies the queue, in order.
func (q *queue) list() []Waiting {
	items := make([]Waiting, 0, q.all.size)
	for it := range q.all.each() {
		items = append(items, *it)
	}
	return items
}

// await and idle tell the partition that a unit waits in the queue now, and that none does.
func (q *queue) await() {
	switch {
	case q.account != nil:
		q.account.await()
	case q.flex != nil:
		q.partition.flexWaits = insertSorted(q.partition.flexWaits, q.flex.name, strings.Compare)
	}
}

func (q *queue) idle() {
	switch {
	case q.account != nil:
		q.account.idle()
	case q.flex != nil:
		q.partition.flexWaits = dropSorted(q.partition.flexWaits, q.flex.name, strings.Compare)
	}
}

// Queue lists what waits for a quota in this partition, in order. It is a copy of
// all of it: decisions ask for Firsts.
func (a *Account) Queue() []Waiting { return a.queue.list() }

// Firsts lists the first waiting unit of each kind, in order: where it finds no
// room, those like it behind it find none. The slice is the account's own.
func (a *Account) Firsts() []*Waiting { return a.queue.firsts }

// Following is the unit of the same kind that waits next behind one, or nil.
func (a *Account) Following(it *Waiting) *Waiting { return a.queue.kinds[it.kind].after(it) }

// FollowingFrom is the first unit of the same kind that is not before a key, or nil.
func (a *Account) FollowingFrom(it *Waiting, key Key) *Waiting {
	return a.queue.kinds[it.kind].after(&Waiting{Key: key, Pool: Base - 1})
}

// Queue lists what waits in a namespace for flex of this partition, in order. It
// is a copy of all of it: decisions ask for Firsts.
func (f *FlexUse) Queue() []Waiting { return f.queue.list() }

// Firsts is Account.Firsts for a namespace that waits for flex.
func (f *FlexUse) Firsts() []*Waiting { return f.queue.firsts }

// Waits is how many units wait in the namespace for flex of this partition.
func (f *FlexUse) Waits() int { return f.queue.all.size }

// WaitsToStart is how many of them are workloads that wait to start. The others are pools of running
// ones that wait to join.
func (f *FlexUse) WaitsToStart() int { return f.queue.all.bases }
