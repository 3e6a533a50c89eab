package draw

import "strconv"

// Coverage is what a buffer policy claims, and what came true.
type Coverage struct {
	Name     string
	Note     string
	Claimed  float64 // 0..1; below 0: it claims nothing
	Realised float64 // 0..1; below 0: none has been judged
	Faint    bool    // it is no longer in force
}

// Coverages draws claimed against realised coverage, row by row, on a scale that
// begins where the worst of them stands.
func Coverages(rows []Coverage, w Width) SVG {
	p := newPen("coverage"+px(float64(w)), "Claimed against realised coverage", float64(w))
	names, notes, row := 330.0, 190.0, 28.0
	if w == Narrow {
		names, notes, row = 0, 0, 44
	}
	least := 0.98
	for _, r := range rows {
		if r.Realised >= 0 {
			least = min(least, r.Realised)
		}
		if r.Claimed >= 0 {
			least = min(least, r.Claimed)
		}
	}
	least = max(0, least-(1-least)*0.25)
	s := scale{most: 1 - least, x0: names + 12, x1: float64(w) - notes - 12}
	bottom := 28 + row*float64(len(rows))
	for i := 0; i <= 4; i++ {
		share := least + (1-least)*float64(i)/4
		p.rule(s.at(share-least), 24, s.at(share-least), bottom, "")
		text, at := Percent(share), middle
		if i == 4 && w == Narrow {
			at = end
		}
		if i == 0 && w == Narrow {
			at = start
		}
		p.text(s.at(share-least), bottom+15, text, style{size: small, quiet: true, at: at})
	}
	p.dot(Metal, 8, 10, false, "")
	p.text(20, 14, "claimed", style{size: small, quiet: true})
	p.dot(Quota, 98, 10, true, "")
	p.text(110, 14, "realised", style{size: small, quiet: true})
	for i, r := range rows {
		p.coverage(r, s, least, 28+row*float64(i), row, names, w)
	}
	return p.done(bottom + 22)
}

func (p *pen) coverage(r Coverage, s scale, least, y, row, names float64, w Width) {
	mid, base, most := y+row/2, y+row/2+5, names
	if w == Narrow {
		mid, base, most = y+31, y+15, float64(w)
	}
	p.text(0, base, fit(r.Name, body, most), style{quiet: r.Faint})
	if r.Claimed >= 0 && r.Realised >= 0 {
		ink := Quota
		if r.Realised < r.Claimed {
			ink = Down
		}
		p.stroke(ink, 3, "", "", [2]float64{s.at(r.Claimed - least), mid}, [2]float64{s.at(r.Realised - least), mid})
	}
	if r.Claimed >= 0 {
		p.dot(Metal, s.at(r.Claimed-least), mid, false, "claimed "+Percent(r.Claimed))
	}
	if r.Realised >= 0 {
		p.dot(Quota, s.at(r.Realised-least), mid, true, "realised "+Percent(r.Realised))
	}
	if w != Narrow {
		p.text(float64(w), base, fit(r.Note, small, 182), style{size: small, quiet: true, at: end})
	}
}

// Percent writes a share: 0.99 is 99.0 %.
func Percent(share float64) string { return strconv.FormatFloat(share*100, 'f', 1, 64) + " %" }

// Trade is one point of the frontier: how much is kept back, and how often the
// promise breaks.
type Trade struct {
	Name   string
	Buffer float64 // the mean share that is kept back, 0..1
	Broken float64 // the share of promises broken, 0..1
	Own    bool    // it is in force
}

// Frontier draws buffer against broken promises: left and low is better.
func Frontier(list []Trade, w Width) SVG {
	p := newPen("frontier"+px(float64(w)), "Mean buffer against broken promises, by policy", float64(w))
	const top, bottom, left = 10.0, 230.0, 60.0
	mostX, mostY := 0.05, 0.01
	for _, t := range list {
		mostX, mostY = max(mostX, t.Buffer), max(mostY, t.Broken)
	}
	x := scale{most: mostX * 1.1, x0: left, x1: float64(w) - 16}
	y := scale{most: mostY * 1.1, x0: bottom, x1: top}
	for i := 0; i <= 4; i++ {
		vx, vy := x.most*float64(i)/4, y.most*float64(i)/4
		p.rule(left, y.at(vy), x.x1, y.at(vy), "")
		p.text(left-6, y.at(vy)+4, Percent(vy), style{size: small, quiet: true, at: end})
		at := middle
		if i == 4 {
			at = end
		}
		p.text(x.at(vx), bottom+15, Percent(vx), style{size: small, quiet: true, at: at})
	}
	for _, t := range list {
		ink := Quota
		if t.Own {
			ink = Flex
		}
		px, py := x.at(t.Buffer), y.at(t.Broken)
		p.dot(ink, px, py, t.Own, t.Name+": buffer "+Percent(t.Buffer)+", broken "+Percent(t.Broken))
		room := x.x1 - px - 10
		if name := fit(t.Name, small, 160); width(name, small) <= room {
			p.text(px+10, py+4, name, style{size: small, quiet: true})
		} else {
			p.text(px-10, py+4, name, style{size: small, quiet: true, at: end})
		}
	}
	p.text(x.x1, bottom+33, "mean buffer →", style{size: small, quiet: true, at: end})
	return p.done(bottom + 40)
}
