package fleet

import (
	"sort"
	"strings"
)

// Waiting is a part of a workload that waits for room: its lowest-rank pools
// (Pool is Base) or one pool of higher rank of a workload that runs.
type Waiting struct {
	Workload *Workload
	Pool     int
	Key      Key

	tried uint64 // see Partition.Tried
	lacks bool   // see Lacks
	shape int    // see Shape
}

// Shape numbers what of a waiting unit decides whether it finds room: two units
// of one queue with the same shape differ in age alone, so where the elder finds
// no room the younger finds none. 0 is a unit like no other.
func (a *Waiting) Shape() int { return a.shape }

// Lacks says whether the unit found the counts of its quota or tree right when it
// was last tried, and lacked nodes alone; SetLacks remembers it.
func (a *Waiting) Lacks() bool { return a.lacks }

// SetLacks remembers whether the unit lacks nodes alone.
func (a *Waiting) SetLacks(lacks bool) { a.lacks = lacks }

// Base stands for the lowest-rank pools of a workload where a pool is asked for.
const Base = -1

// queue keeps what waits in the order in which it is served.
type queue struct {
	account   *Account   // nil on flex
	flex      *FlexUse   // nil in quota
	partition *Partition // on flex
	items     []Waiting
	shapes    map[int]int // how many items have each shape
}

// queueSpot remembers in which queues a workload waits, so that it can leave them.
type queueSpot struct {
	queue     *queue
	pool      int
	partition *Partition
}

func (a Waiting) before(b Waiting) bool {
	if a.Key != b.Key {
		return a.Key.Before(b.Key)
	}
	return a.Pool < b.Pool
}

func (q *queue) find(it Waiting) int {
	return sort.Search(len(q.items), func(i int) bool { return !q.items[i].before(it) })
}

func (q *queue) add(it Waiting) {
	i := q.find(it)
	q.items = append(q.items, Waiting{})
	copy(q.items[i+1:], q.items[i:])
	q.items[i] = it
	if q.shapes == nil {
		q.shapes = map[int]int{}
	}
	q.shapes[it.shape]++
	if len(q.items) == 1 {
		q.await()
	}
}

func (q *queue) remove(it Waiting) {
	if i := q.find(it); i < len(q.items) && q.items[i].Workload == it.Workload && q.items[i].Pool == it.Pool {
		if shape := q.items[i].shape; q.shapes[shape] == 1 {
			delete(q.shapes, shape)
		} else {
			q.shapes[shape]--
		}
		q.items = append(q.items[:i], q.items[i+1:]...)
		if len(q.items) == 0 {
			q.idle()
		}
	}
}

// await and idle tell the partition that somebody waits in the queue now, and that nobody does.
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

// kinds is the number of shapes in the queue, units like no other counted singly.
func (q *queue) kinds() int {
	if odd := q.shapes[0]; odd > 0 {
		return len(q.shapes) - 1 + odd
	}
	return len(q.shapes)
}
