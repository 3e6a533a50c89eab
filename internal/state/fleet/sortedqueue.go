package fleet

import (
	"iter"
	"slices"
	"sort"
)

// sortedQueue is a list of waiting units in order, in pieces, so that joining and
// leaving it cost little however long it is.
type sortedQueue struct {
	pieces [][]*Waiting // none of them empty
	size   int
	bases  int // of them, workloads that wait to start, and not for another replica
}

// pieceMost is how long a piece may grow before it is cut in two.
const pieceMost = 128

// pieceOf is the last piece that does not begin behind a unit; 0 if all do.
func (r *sortedQueue) pieceOf(it *Waiting) int {
	return max(0, sort.Search(len(r.pieces), func(i int) bool { return it.Before(r.pieces[i][0]) })-1)
}

func (r *sortedQueue) add(it *Waiting) {
	r.count(it, 1)
	if len(r.pieces) == 0 {
		r.pieces = append(r.pieces, []*Waiting{it})
		return
	}
	at := r.pieceOf(it)
	piece := insertSorted(r.pieces[at], it, compareWaiting)
	r.pieces[at] = piece
	if half := len(piece) / 2; len(piece) > pieceMost {
		r.pieces[at] = slices.Clip(piece[:half])
		r.pieces = slices.Insert(r.pieces, at+1, slices.Clone(piece[half:]))
	}
}

// count counts a unit that joins (1) or leaves (-1).
func (r *sortedQueue) count(it *Waiting, n int) {
	r.size += n
	if it.Pool == Base {
		r.bases += n
	}
}

// find is the unit of the list that stands where another would, or nil.
func (r *sortedQueue) find(it *Waiting) *Waiting {
	if r.size == 0 {
		return nil
	}
	piece := r.pieces[r.pieceOf(it)]
	i := sort.Search(len(piece), func(i int) bool { return !piece[i].Before(it) })
	if i < len(piece) && compareWaiting(piece[i], it) == 0 {
		return piece[i]
	}
	return nil
}

// remove takes a unit out that is in the list.
func (r *sortedQueue) remove(it *Waiting) {
	r.count(it, -1)
	at := r.pieceOf(it)
	if r.pieces[at] = dropSorted(r.pieces[at], it, compareWaiting); len(r.pieces[at]) == 0 {
		r.pieces = slices.Delete(r.pieces, at, at+1)
	}
}

// first is the first unit of the list, or nil.
func (r *sortedQueue) first() *Waiting {
	if r.size == 0 {
		return nil
	}
	return r.pieces[0][0]
}

// last is the last unit of the list, or nil.
func (r *sortedQueue) last() *Waiting {
	if r.size == 0 {
		return nil
	}
	piece := r.pieces[len(r.pieces)-1]
	return piece[len(piece)-1]
}

// after is the first unit behind a place in the order, or nil.
func (r *sortedQueue) after(it *Waiting) *Waiting {
	if r.size == 0 {
		return nil
	}
	at := r.pieceOf(it)
	i, found := slices.BinarySearchFunc(r.pieces[at], it, compareWaiting)
	if found {
		i++
	}
	switch {
	case i < len(r.pieces[at]):
		return r.pieces[at][i]
	case at+1 < len(r.pieces):
		return r.pieces[at+1][0]
	}
	return nil
}

// each goes through the list in order.
func (r *sortedQueue) each() iter.Seq[*Waiting] {
	return func(yield func(*Waiting) bool) {
		for _, piece := range r.pieces {
			for _, it := range piece {
				if !yield(it) {
					return
				}
			}
		}
	}
}
