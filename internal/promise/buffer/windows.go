package buffer

// windows turns hours into rises: of every hour of the last year whose horizon
// is over, how many more nodes were down at the worst moment within it than at
// its beginning.
type windows struct {
	horizon int
	hours   []Hour // from first on; those before are forgotten
	first   int
	next    int   // hours seen
	peaks   []int // candidates for the worst hour of the window that is about to close, best first

	rises []rise // of closed windows, oldest first
	count []int  // closed windows by their rise, as a pool of nodes would have it
	total int
	sum   int
	sumSq int
	nodes int
}

type rise struct{ by, nodes int }

func (w *windows) hour(i int) Hour { return w.hours[i-w.first] }

// learn takes an hour, closes the window that ends with it, and forgets what is
// older than a year.
func (w *windows) learn(h Hour) {
	if h.Nodes > w.nodes {
		w.nodes = h.Nodes
		w.recount()
	}
	i := w.next
	w.hours, w.next = append(w.hours, h), w.next+1
	for len(w.peaks) > 0 && w.hour(w.peaks[len(w.peaks)-1]).Peak <= h.Peak {
		w.peaks = w.peaks[:len(w.peaks)-1]
	}
	w.peaks = append(w.peaks, i)
	open := w.next - w.horizon
	if open < 0 {
		return
	}
	if w.peaks[0] < open {
		w.peaks = w.peaks[1:]
	}
	from := w.hour(open)
	r := rise{max(0, w.hour(w.peaks[0]).Peak-from.Level), from.Nodes}
	w.rises = append(w.rises, r)
	w.note(r, 1)
	if len(w.rises) > Year {
		w.note(w.rises[0], -1)
		w.rises = w.rises[1:]
	}
	w.forget(open)
}

// forget drops hours that no open window needs, in large steps.
func (w *windows) forget(before int) {
	if before-w.first > 4*w.horizon+1024 {
		w.hours = append([]Hour(nil), w.hours[before-w.first:]...)
		w.first = before
	}
}

// note counts a rise (sign 1) or takes it back (−1). A pool that has grown since
// counts it in proportion, rounded up: what failed as one may fail as one again.
func (w *windows) note(r rise, sign int) {
	by := r.by
	if r.nodes > 0 && r.nodes < w.nodes {
		by = (by*w.nodes + r.nodes - 1) / r.nodes
	}
	for len(w.count) <= by {
		w.count = append(w.count, 0)
	}
	w.count[by] += sign
	w.total += sign
	w.sum += sign * by
	w.sumSq += sign * by * by
}

func (w *windows) recount() {
	clear(w.count)
	w.total, w.sum, w.sumSq = 0, 0, 0
	for _, r := range w.rises {
		w.note(r, 1)
	}
}
