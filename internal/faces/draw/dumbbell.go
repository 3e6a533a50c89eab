package draw

// Dumbbell is one quota in one partition: what it has, and what is proposed.
type Dumbbell struct {
	Name     string
	Assigned int
	Backed   int
	Highest  int // the highest use of 90 days
	Proposed int
	Head     bool // a row that names what follows
	Href     string
}

// Dumbbells draws assigned against proposed, with backed and the highest use
// between them.
func Dumbbells(rows []Dumbbell, w Width) SVG {
	p := newPen("dumbbell"+px(float64(w)), "Assigned, backed, highest use and proposed, by cluster and quota", float64(w))
	names, row := 250.0, 28.0
	if w == Narrow {
		names, row = 0, 44
	}
	most := 1
	for _, r := range rows {
		most = max(most, r.Assigned, r.Proposed, r.Highest)
	}
	marks := ticks(roundUp(float64(most), 5), 5)
	figures := width(Number(most)+" → "+Number(most), body) + 12
	s := scale{most: marks[len(marks)-1], x0: names + 8, x1: float64(w) - figures - 8}
	if w == Narrow {
		s.x0, s.x1 = 12, float64(w)-20 // half a mark stands at either side
	}
	y := p.marks(0)
	top := y
	bottom := top
	for _, r := range rows {
		bottom += r.high(row, w)
	}
	for i, t := range marks {
		text := Number(int(t))
		if i == 0 {
			text += " GPUs"
		}
		if w != Narrow {
			p.rule(s.at(t), top, s.at(t), bottom, "")
		}
		half := width(text, small) / 2
		p.text(min(max(s.at(t), half), float64(w)-half), bottom+15, text, style{size: small, quiet: true, at: middle})
	}
	for _, r := range rows {
		if w == Narrow && !r.Head {
			p.dumbbellRules(marks, s, y)
		}
		p.dumbbell(r, s, y, row, names, w)
		y += r.high(row, w)
	}
	return p.done(bottom + 22)
}

// dumbbellRules are lines up behind the circles of one row: on a phone they would run through the names.
func (p *pen) dumbbellRules(marks []float64, s scale, y float64) {
	for _, t := range marks {
		p.rule(s.at(t), y+20, s.at(t), y+42, "")
	}
}

// high is how high a row is: on a phone one that only names what follows needs no room for a bar.
func (r Dumbbell) high(row float64, w Width) float64 {
	if r.Head && w == Narrow {
		return 26
	}
	return row
}

func (p *pen) dumbbell(r Dumbbell, s scale, y, row, names float64, w Width) {
	mid, base := y+row/2, y+row/2+5
	most := names - 8
	change := Number(r.Assigned) + " → " + Number(r.Proposed)
	if r.Proposed == r.Assigned {
		change = Number(r.Assigned)
	}
	if w == Narrow {
		mid, base, most = y+31, y+15, float64(w)-width(change, body)-12
	}
	p.link(r.Href, func() {
		p.text(0, base, fit(r.Name, body, most), style{bold: r.Head})
	})
	if r.Head {
		return
	}
	a, n := s.of(r.Assigned), s.of(r.Proposed)
	p.stroke(Paper, 3, "", "", [2]float64{min(a, n), mid}, [2]float64{max(a, n), mid})
	x := s.of(r.Backed)
	p.stroke(Quota, 3, "", "backed "+Number(r.Backed), [2]float64{x, mid - 11}, [2]float64{x, mid + 11})
	p.dot(Metal, a, mid, false, "assigned "+Number(r.Assigned))
	p.dot(Metal, n, mid, true, "proposed "+Number(r.Proposed))
	p.diamond(s.of(r.Highest), mid, "highest use "+Number(r.Highest)) // over the circles: it shows where they stand in one place
	p.text(float64(w), base, change, style{bold: r.Proposed != r.Assigned, quiet: r.Proposed == r.Assigned, at: end})
}

func (p *pen) diamond(x, y float64, says string) {
	p.raw(`<path d="M`, px(x), ` `, px(y-5), `l5 5l-5 5l-5 -5Z" class="i-idle" fill="`, inkOf(Idle).Light, `"`)
	p.close("path", says)
}

// marks says what the shapes of a dumbbell are.
func (p *pen) marks(y float64) float64 {
	x := 8.0
	for _, one := range []struct {
		text string
		draw func(x float64)
	}{
		{"assigned", func(x float64) { p.dot(Metal, x, y+10, false, "") }},
		{"backed", func(x float64) { p.stroke(Quota, 3, "", "", [2]float64{x, y + 2}, [2]float64{x, y + 18}) }},
		{"highest use", func(x float64) { p.diamond(x, y+10, "") }},
		{"proposed", func(x float64) { p.dot(Metal, x, y+10, true, "") }},
	} {
		w := width(one.text, small)
		if x+12+w > p.w {
			x, y = 8, y+22
		}
		one.draw(x)
		p.text(x+12, y+14, one.text, style{size: small, quiet: true})
		x += w + 36
	}
	return y + 30
}
