package draw

import (
	"math"
	"strconv"
)

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
		p.coverageRule(s.at(share-least), len(rows), row, bottom, w)
		text, at := percentMark(share), middle
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

// coverageRule is a line up through the picture; in a narrow one only behind the dots,
// for names stand above them.
func (p *pen) coverageRule(x float64, rows int, row, bottom float64, w Width) {
	if w != Narrow {
		p.rule(x, 24, x, bottom, "")
		return
	}
	for i := range rows {
		y := 28 + row*float64(i)
		p.rule(x, y+22, x, y+40, "")
	}
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

// percentMark writes a share at an axis: no digit behind the point that says nothing.
func percentMark(share float64) string {
	return strconv.FormatFloat(math.Round(share*1000)/10, 'f', -1, 64) + " %"
}

// Percent writes a share: 0.99 is 99.0 %.
func Percent(share float64) string { return strconv.FormatFloat(share*100, 'f', 1, 64) + " %" }
