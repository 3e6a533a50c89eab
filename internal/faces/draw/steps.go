package draw

import "time"

// Steps is what one condition of a cluster's life took: a row of bars, one after another.
type Steps struct {
	Name     string
	Note     string // how long it took, and how many tries
	Bars     []StepBar
	P50, P90 time.Time // when it is to be expected; zero: not known, or over
}

// StepBar is one stretch of a row: a wait, or a try.
type StepBar struct {
	From, To time.Time
	Ink      Ink
	Says     string
	Href     string // where a person sees it
}

// stepKeys say what the inks of a cluster's life mean here.
var stepKeys = []key{
	{Metal, "an operation that succeeded, or runs"}, {Fault, "a try that failed"}, {Wait, "waits for machines, or the cloud"}, {Ask, "waits for a person"}, {Suspect, "fell in production"}, {Paper, "expected (p50 to p90)"},
}

// StepRows draws a cluster's life: a row for each condition, and now as a line.
func StepRows(id, label string, rows []Steps, from, now, to time.Time, w Width) SVG {
	p := newPen(id+px(float64(w)), label, float64(w))
	names, notes, row := 190.0, 150.0, 26.0
	if w == Narrow {
		names, notes, row = 2, 2, 42
	}
	const top = 18.0
	s, bottom := span{from, to, names, float64(w) - notes}, top+row*float64(len(rows))
	if w == Narrow {
		p.times(s, bottom-4, bottom) // lines would run through the names
	} else {
		p.times(s, top-4, bottom)
	}
	for i, r := range rows {
		p.stepRow(r, s, top+row*float64(i), w, names, notes)
	}
	if !now.Before(from) && now.Before(to) {
		p.nowLine(s.at(now), top, row, len(rows), w)
	}
	return p.done(p.legend(0, bottom+26, keysOf(rows)...))
}

// nowLine draws the present: one line down a wide picture, and on a narrow one a stroke beside each row's bars, as names stand
// above them.
func (p *pen) nowLine(x, top, row float64, rows int, w Width) {
	p.now(x)
	if w != Narrow {
		p.stroke(Metal, 1.5, "", "now", [2]float64{x, top - 4}, [2]float64{x, top + row*float64(rows)})
		return
	}
	for i := range rows {
		bar := top + row*float64(i) + 20
		p.stroke(Metal, 1.5, "", "now", [2]float64{x, bar - 2}, [2]float64{x, bar + 16})
	}
}

// stepRow draws a row: its name, its bars, when it is to be expected, and what it took.
func (p *pen) stepRow(r Steps, s span, y float64, w Width, names, notes float64) {
	const high = 14.0
	bar := y + 5
	if w == Narrow {
		bar = y + 20
		note := fit(r.Note, small, 170)
		p.text(0, y+14, fit(r.Name, body, float64(w)-width(note, small)-12), style{})
		p.text(float64(w), y+14, note, style{size: small, quiet: true, at: end})
	} else {
		p.text(0, y+16, fit(r.Name, body, names-8), style{})
		p.text(float64(w), y+16, fit(r.Note, small, notes-8), style{size: small, quiet: true, at: end})
	}
	for _, b := range r.Bars {
		x0, x1 := s.at(b.From), s.at(b.To)
		p.link(b.Href, func() { p.rect(b.Ink, x0, bar, max(2, x1-x0-1), high, b.Says) }) // a gap tells one try from the next
	}
	switch {
	case r.P90.IsZero():
	case r.P50.After(s.to):
		p.runsOff(s, r.P50, "from ", bar)
	default:
		x0, x1 := s.at(r.P50), s.at(r.P90)
		p.rect(Paper, x0, bar, max(3, x1-x0), high, "expected by "+r.P50.UTC().Format("2 Jan 15:04")+" (p50), "+r.P90.UTC().Format("2 Jan 15:04")+" (p90) UTC")
		p.runsOff(s, r.P90, "to ", bar)
	}
}

// keysOf is the legend of what the rows have.
func keysOf(rows []Steps) (list []key) {
	has := map[Ink]bool{}
	for _, r := range rows {
		has[Paper] = has[Paper] || !r.P90.IsZero()
		for _, b := range r.Bars {
			has[b.Ink] = true
		}
	}
	for _, k := range stepKeys {
		if has[k.ink] {
			list = append(list, k)
		}
	}
	return list
}
