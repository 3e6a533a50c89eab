package draw

import "time"

// Ahead is something that is known to be coming.
type Ahead struct {
	Name string // what it is, in a few words
	Note string // how much it is about
	At   time.Time
	Ink  Ink
	Says string // all of it
	Href string
}

// horizons are how far ahead a picture looks: as far as most of what it has.
var horizons = []time.Duration{10 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour, 28 * 24 * time.Hour, 365 * 24 * time.Hour}

// lookAhead is the shortest horizon that three quarters of what has a moment lie in.
func lookAhead(list []Ahead, now time.Time) time.Duration {
	known := 0
	for _, a := range list {
		if !a.At.IsZero() {
			known++
		}
	}
	for _, h := range horizons {
		within := 0
		for _, a := range list {
			if !a.At.IsZero() && a.At.Sub(now) <= h*19/20 {
				within++
			}
		}
		if 4*within >= 3*known {
			return h
		}
	}
	return horizons[len(horizons)-1]
}

// Aheads draws what is coming, row by row: a bar from now to its moment. What lies
// beyond the picture ends in an arrow with its moment, what has no known moment in
// a dashed edge.
func Aheads(list []Ahead, now time.Time, w Width) SVG {
	p := newPen("ahead"+px(float64(w)), "What is coming, and when", float64(w))
	names, row := 380.0, 28.0
	if w == Narrow {
		names, row = 2, 42
	}
	to := now.Add(lookAhead(list, now))
	s := span{now, to, names, float64(w) - 14}
	top, bottom := 20.0, 20+row*float64(len(list))
	p.times(s, bottom-4, bottom)
	at := middle
	if w == Narrow {
		at = start
	}
	p.text(s.x0, 12, "now", style{size: small, quiet: true, at: at})
	p.rule(s.x0, top-4, s.x0, bottom, "")
	for i, a := range list {
		y := top + row*float64(i)
		bar := y + 8
		p.link(a.Href, func() {
			if w == Narrow {
				p.text(0, y+14, fit(a.Name, body, float64(w)-4), style{})
				bar = y + 22
				return
			}
			note := fit(a.Note, small, 90)
			p.text(0, y+19, fit(a.Name, body, names-24-width(note, small)), style{})
			p.text(names-12, y+19, note, style{size: small, quiet: true, at: end})
		})
		p.ahead(a, s, to, bar)
	}
	return p.done(bottom + 22)
}

func (p *pen) ahead(a Ahead, s span, to time.Time, y float64) {
	const high = 12.0
	switch {
	case a.At.IsZero():
		text := "no date given"
		p.text(s.x0+6, y+10, text, style{size: small, quiet: true})
		x := s.x0 + width(text, small) + 14
		p.rect(Paper, x, y, s.x1-x, high, a.Says)
	case a.At.After(to):
		p.rect(a.Ink, s.x0, y, s.x1-s.x0, high, a.Says)
		p.area(a.Ink, a.Says, [2]float64{s.x1, y - 3}, [2]float64{s.x1 + 12, y + high/2}, [2]float64{s.x1, y + high + 3})
		text := a.At.UTC().Format("2 Jan 15:04")
		long := width(text, small) + 8
		p.raw(`<rect x="`, px(s.x1-long-4), `" y="`, px(y-1), `" width="`, px(long), `" height="14" class="d-ground" fill="`, ground, `"/>`)
		p.text(s.x1-8, y+10, text, style{size: small, quiet: true, at: end})
	default:
		x := s.at(a.At)
		p.rect(a.Ink, s.x0, y, max(2, x-s.x0), high, a.Says)
		p.stroke(Metal, 2.5, "", a.Says, [2]float64{max(s.x0+2, x), y - 3}, [2]float64{max(s.x0+2, x), y + high + 3})
	}
}
