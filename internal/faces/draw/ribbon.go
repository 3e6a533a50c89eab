package draw

import "time"

// Stretch is a time in which something stayed as it was.
type Stretch struct {
	From, To time.Time
	Ink      Ink
	Name     string // short: running, TreeFull
	Says     string
}

// Mark is a moment at which something happened.
type Mark struct {
	At   time.Time
	Says string
}

// Ribbon draws what a workload went through, from left to right.
func Ribbon(stretches []Stretch, marks []Mark, from, to time.Time, w Width) SVG {
	p := newPen("ribbon"+px(float64(w)), "What it went through, from "+from.UTC().Format("2 Jan 15:04:05")+" to "+to.UTC().Format("2 Jan 15:04:05"), float64(w))
	const top, high = 22.0, 32.0
	s := span{from, to, 0, float64(w)}
	p.rule(0, top+high, float64(w), top+high, "")
	p.times(s, top+high, top+high+9) // below the marks
	for _, one := range stretches {
		x0, x1 := s.at(one.From), s.at(one.To)
		p.rect(one.Ink, x0, top, max(1.5, x1-x0), high, one.Says)
		if name := one.Name; width(name, small) <= x1-x0-8 {
			p.text(x0+2, top-7, name, style{size: small, quiet: true})
		}
	}
	for _, m := range marks {
		x := min(max(s.at(m.At), 4), float64(w)-4) // all of it inside the frame
		p.raw(`<path d="M`, px(x), ` `, px(top+high+2), `l4 7h-8Z" class="d-word" fill="`, word, `"`)
		p.close("path", m.Says)
	}
	return p.done(top + high + 31)
}
