package past

import "slices"

// Horizon is how long a promise must hold: promisable is a promise for a day
// (semantics §2).
const Horizon = 24 * hour

// Promises are those of a partition that are not a day old yet: one is issued in
// every full hour, for as many nodes as are promisable then. It is broken as soon
// as fewer whole healthy nodes are there, and kept when a day later it was not.
type Promises struct {
	Open []Promise // in order of Issued
}

// Promise is so many whole healthy nodes for a day.
type Promise struct {
	Issued int64
	Nodes  int
}

// promise judges the promises of a day ago in every partition, and issues new ones.
func (b *Book) promise(at int64) {
	for _, p := range b.state.Partitions {
		if len(p.Nodes) == 0 {
			continue
		}
		open := meterOf(b.Promises, p.ID, func() *Promises { return &Promises{} })
		b.redeem(at, p.ID, open)
		open.Open = append(open.Open, Promise{at, p.Promisable})
		b.partition(p.ID).count(at, Issued, 1)
	}
}

func (b *Book) redeem(at int64, partition string, open *Promises) {
	n := 0
	for n < len(open.Open) && open.Open[n].Issued+Horizon <= at {
		n++
	}
	b.partition(partition).count(at, Kept, int64(n))
	open.Open = slices.Clone(open.Open[n:])
}

// fell breaks the promises that so many whole healthy nodes cannot keep.
func (b *Book) fell(at int64, partition string, whole int) {
	open := b.Promises[partition]
	if open == nil {
		return
	}
	before := len(open.Open)
	open.Open = slices.DeleteFunc(open.Open, func(p Promise) bool { return p.Nodes > whole && p.Issued+Horizon > at })
	b.partition(partition).count(at, Broken, int64(before-len(open.Open)))
}
