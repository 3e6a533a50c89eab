package draw

// Step is one row of a waterfall: so many GPUs, drawn from From on.
type Step struct {
	Name  string
	GPUs  int
	From  int
	Ink   Ink
	Total bool   // what is left, not what is taken away
	Parts []Part // what the row consists of, where it is more than one thing
	Href  string
	Says  string
	Note  string // said behind the figure
}

// Part is a part of a bar.
type Part struct {
	GPUs int
	Ink  Ink
	Says string
}

// Waterfall draws how GPUs become fewer, from installed to busy. Each row that
// takes away hangs where the next one will end.
func Waterfall(steps []Step, w Width) SVG {
	if w == Narrow {
		return waterfallNarrow(steps)
	}
	p := newPen("wf", waterfallLabel(steps), float64(w))
	names, figures := 0.0, 0.0
	for _, s := range steps {
		names = max(names, width(s.Name, body))
		figures = max(figures, width(figure(s), body))
	}
	names = min(names, 300)
	notes := 150.0
	sc := scale{most: float64(longest(steps)), x0: names + 16, x1: float64(w) - figures - notes - 24}
	const row = 30.0
	y := 4.0
	for i, s := range steps {
		p.link(s.Href, func() {
			p.text(0, y+18, fit(s.Name, body, names), style{quiet: !s.Total, bold: s.Total})
			p.bar(s, sc, y+5, 18)
			p.text(sc.x1+figures+12, y+18, figure(s), style{bold: s.Total, quiet: !s.Total, at: end})
		})
		p.text(sc.x1+figures+24, y+18, fit(s.Note, small, notes), style{size: small, quiet: true})
		if i+1 < len(steps) {
			x := sc.of(edge(s))
			p.rule(x, y+23, x, y+row+5, "2 2")
		}
		y += row
	}
	return p.done(y + 4)
}

func waterfallNarrow(steps []Step) SVG {
	p := newPen("wfn", waterfallLabel(steps), float64(Narrow))
	sc := scale{most: float64(longest(steps)), x0: 0, x1: float64(Narrow)}
	const row = 40.0
	y := 2.0
	for _, s := range steps {
		p.link(s.Href, func() {
			n := figure(s)
			p.text(sc.x1, y+14, n, style{bold: s.Total, quiet: !s.Total, at: end})
			room := sc.x1 - width(n, body) - 8
			name := fit(s.Name, body, room)
			p.text(0, y+14, name, style{quiet: !s.Total, bold: s.Total})
			if left := width(name, body) + 12; s.Note != "" && left+width(s.Note, small) <= room {
				p.text(left, y+14, s.Note, style{size: small, quiet: true})
			}
			p.bar(s, sc, y+19, 14)
		})
		y += row
	}
	return p.done(y)
}

// bar draws a step's bar: whole, or its parts one behind the other.
func (p *pen) bar(s Step, sc scale, y, h float64) {
	if s.GPUs == 0 {
		x := sc.of(s.From)
		p.rule(x, y, x, y+h, "")
		return
	}
	if len(s.Parts) == 0 {
		p.rect(s.Ink, sc.of(s.From), y, sc.of(s.From+s.GPUs)-sc.of(s.From), h, s.Says)
		return
	}
	at := s.From
	for _, part := range s.Parts {
		p.rect(part.Ink, sc.of(at), y, sc.of(at+part.GPUs)-sc.of(at), h, part.Says)
		at += part.GPUs
	}
}

// edge is where the next row joins: the end of a total, the beginning of what is
// taken away.
func edge(s Step) int {
	if s.Total {
		return s.From + s.GPUs
	}
	return s.From
}

func figure(s Step) string {
	if s.Total || s.GPUs == 0 {
		return Number(s.GPUs)
	}
	return Number(-s.GPUs)
}

func longest(steps []Step) int {
	most := 0
	for _, s := range steps {
		most = max(most, s.From+s.GPUs)
	}
	return most
}

func waterfallLabel(steps []Step) string {
	if len(steps) == 0 {
		return "Waterfall"
	}
	first, last := steps[0], steps[len(steps)-1]
	return "Waterfall from " + Number(first.GPUs) + " GPUs " + first.Name + " to " + Number(last.GPUs) + " " + last.Name
}
