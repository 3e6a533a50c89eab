package fleet

import "sort"

// Waiting is a part of a workload that waits for room: its lowest-rank pools
// (Pool is Base) or one pool of higher rank of a workload that runs.
type Waiting struct {
	Workload *Workload
	Pool     int
	Key      Key

	tried uint64 // see Partition.Tried
}

// Base stands for the lowest-rank pools of a workload where a pool is asked for.
const Base = -1

// queue keeps what waits in the order in which it is served.
type queue struct {
	items []Waiting
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
}

func (q *queue) remove(it Waiting) {
	if i := q.find(it); i < len(q.items) && q.items[i].Workload == it.Workload && q.items[i].Pool == it.Pool {
		q.items = append(q.items[:i], q.items[i+1:]...)
	}
}
