package past

// Meter is figures that stand until they change, and what they come to over
// time: each of the first len(Now) columns of its series is figure × time. The
// columns after them are counts, and highest values.
type Meter struct {
	Series
	Now []int64 // the figures that stand
	At  int64   // since when they have not been summed yet
	// Born is the first moment at which something stood or was counted.
	Born int64
	// PeakOf is the figure whose highest value the column in Peaks keeps.
	PeakOf int
}

func newMeter(figures, counts int) *Meter {
	return &Meter{Series: Series{Width: figures + counts}, Now: make([]int64, figures)}
}

// peak makes a column keep the highest value at which a figure stood.
func (m *Meter) peak(column, figure int) *Meter {
	m.Peaks, m.PeakOf = []int{column}, figure
	return m
}

// pass sums the figures that stand up to a moment.
func (m *Meter) pass(at int64) {
	grain := hour
	if m.Coarse {
		grain = day
	}
	for m.At < at {
		if m.still() {
			m.At = at
			return
		}
		m.Born = firstOf(m.Born, m.At)
		end := min(at, m.At-mod(m.At, grain)+grain)
		sums := m.bucket(m.At)
		for i, v := range m.Now {
			sums[i] += v * (end - m.At)
		}
		for _, column := range m.Peaks {
			sums[column] = max(sums[column], m.Now[m.PeakOf])
		}
		m.At = end
	}
}

func firstOf(born, at int64) int64 {
	if born == 0 {
		return at
	}
	return born
}

// still says that nothing stands: there is nothing to sum, however long.
func (m *Meter) still() bool {
	for _, v := range m.Now {
		if v != 0 {
			return false
		}
	}
	return true
}

// set changes a figure at a moment.
func (m *Meter) set(at int64, figure int, v int64) {
	if m.Now[figure] != v {
		m.pass(at)
		m.Now[figure] = v
	}
}

// shift changes a figure by so much at a moment.
func (m *Meter) shift(at int64, figure int, by int64) { m.set(at, figure, m.Now[figure]+by) }

// count adds to a column that is no figure.
func (m *Meter) count(at int64, column int, v int64) {
	m.pass(at)
	if v != 0 {
		m.Born = firstOf(m.Born, at)
	}
	m.add(at, column, v)
}

// over is the sums of a window up to a moment, with what stands and is not
// summed yet. It changes nothing.
func (m *Meter) over(from, to, now int64) (v []int64, begin, end int64) {
	v, begin, end = m.window(from, to)
	begin, end = max(begin, m.Born), min(end, now) // neither the first hour nor the one that runs is whole
	open, until := max(from, m.At), min(to, now)
	if open < until && !m.still() {
		for i, x := range m.Now {
			v[i] += x * (until - open)
		}
		for _, column := range m.Peaks {
			v[column] = max(v[column], m.Now[m.PeakOf])
		}
		begin, end = min(begin, open), max(end, until)
	}
	return v, begin, end
}
