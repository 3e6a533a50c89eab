package buffer

// windows turns hours into rises: of every hour whose horizon is over, how many
// more nodes were down at the worst moment within it than at its beginning.
type windows struct {
	horizon int
	next    int     // hours seen
	levels  []int32 // of the hours of the open windows, by hour modulo horizon
	sizes   []int32 // of the pool then
	peaks   []peak  // candidates for the worst hour of the window that closes next, highest first

	rises map[rise]int // closed windows, without the row of equal ones that closed last
	last  rise         // theirs
	row   int          // how many they are: mostly hours on end, so that few of them look into the map
	above []int        // how many of them rose by more than 0, 1, … nodes, as a pool of nodes would have it
	total int
	sum   int
	sumSq int
	nodes int // the most the pool ever had
}

type peak struct{ at, down int32 }

type rise struct{ by, nodes int32 }

// learn takes an hour, and closes the window that ends with it.
func (w *windows) learn(h Hour) {
	if w.levels == nil {
		w.levels, w.sizes, w.rises = make([]int32, w.horizon), make([]int32, w.horizon), map[rise]int{}
	}
	if h.Nodes > w.nodes {
		w.nodes = h.Nodes
		w.recount()
	}
	at := w.next % w.horizon
	w.levels[at], w.sizes[at] = int32(h.Level), int32(h.Nodes)
	for n := len(w.peaks); n > 0 && int(w.peaks[n-1].down) <= h.Peak; n-- {
		w.peaks = w.peaks[:n-1]
	}
	w.peaks = append(w.peaks, peak{int32(w.next), int32(h.Peak)})
	w.next++
	open := w.next - w.horizon
	if open < 0 {
		return
	}
	if int(w.peaks[0].at) < open {
		w.peaks = w.peaks[1:]
	}
	first := open % w.horizon
	w.close(rise{max(0, w.peaks[0].down-w.levels[first]), w.sizes[first]})
}

// over counts the closed windows that rose by more than k.
func (w *windows) over(k int) int {
	if k < len(w.above) {
		return w.above[k]
	}
	return 0
}

func (w *windows) close(r rise) {
	if r != w.last {
		w.keepRow()
		w.last = r
	}
	w.row++
	w.note(r, 1)
}

// keepRow puts the windows that closed last with the others.
func (w *windows) keepRow() {
	if w.row > 0 {
		w.rises[w.last] += w.row
		w.row = 0
	}
}

// note counts so many windows of a rise. A pool that has grown since counts it in
// proportion, rounded up: what failed as one may fail as one again.
func (w *windows) note(r rise, windows int) {
	by := int(r.by)
	if n := int(r.nodes); n > 0 && n < w.nodes {
		by = (by*w.nodes + n - 1) / n
	}
	for len(w.above) < by {
		w.above = append(w.above, 0)
	}
	for k := range by {
		w.above[k] += windows
	}
	w.total += windows
	w.sum += windows * by
	w.sumSq += windows * by * by
}

// recount is for a pool that has grown. Only sums come of it: in any order the same.
func (w *windows) recount() {
	w.keepRow()
	clear(w.above)
	w.total, w.sum, w.sumSq = 0, 0, 0
	for r, windows := range w.rises {
		w.note(r, windows)
	}
}
