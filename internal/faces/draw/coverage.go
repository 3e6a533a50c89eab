package draw

import (
	"math"
	"slices"
	"strconv"
	"strings"
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
// begins at a round share below the worst of them.
func Coverages(rows []Coverage, w Width) SVG {
	p := newPen("coverage"+px(float64(w)), "Claimed against realised coverage", float64(w))
	names, row := coverageNames(rows), 28.0
	s := scale{x0: names + 24, x1: float64(w) - 202}
	if w == Narrow {
		if names > float64(w) {
			row = 60
		} else {
			row = 44
		}
		names = 0
		s.x0, s.x1 = 24, float64(w)-24 // half a mark stands at either side
	}
	marks := coverageMarks(rows)
	least := marks[0]
	s.most = 1 - least
	bottom := 28 + row*float64(len(rows))
	for _, share := range marks {
		p.coverageRule(s.at(share-least), len(rows), row, bottom, w)
		p.text(s.at(share-least), bottom+15, percentMark(share), style{size: small, quiet: true, at: middle})
	}
	p.coverageKeys(rows)
	for i, r := range rows {
		p.coverage(r, s, least, 28+row*float64(i), row, names, w)
	}
	return p.done(bottom + 22)
}

// coverageKeys say what the circles are: that of a claim only where something was claimed.
func (p *pen) coverageKeys(rows []Coverage) {
	x := 0.0
	if slices.ContainsFunc(rows, func(r Coverage) bool { return r.Claimed >= 0 }) {
		p.ring(Metal, 11, 11, "")
		p.text(26, 15, "claimed", style{size: small, quiet: true})
		x = 100
	}
	p.dot(Quota, x+8, 11, true, "")
	p.text(x+20, 15, "realised", style{size: small, quiet: true})
}

// coverageNames is how wide the column of names is, so that none is cut: its end says for how long was promised.
func coverageNames(rows []Coverage) float64 {
	names := 240.0
	for _, r := range rows {
		names = max(names, width(r.Name, body)+8)
	}
	return min(names, 480)
}

// coverageMarks are at most five round shares with the same step between them, from below the worst row up to all.
func coverageMarks(rows []Coverage) (list []float64) {
	least := 0.98
	for _, r := range rows {
		for _, share := range []float64{r.Claimed, r.Realised} {
			if share >= 0 {
				least = min(least, share)
			}
		}
	}
	for _, step := range []int{5, 10, 20, 50, 100, 200, 250} { // thousandths
		parts := int(math.Ceil((1-least)*1000/float64(step) + 0.5)) // the worst row stands inside
		if parts <= 4 || step == 250 {
			for i := min(parts, 1000/step); i >= 0; i-- {
				list = append(list, float64(1000-i*step)/1000)
			}
			return list
		}
	}
	return list
}

// coverageRule is a line up through the picture; in a narrow one only behind the dots,
// for names stand above them.
func (p *pen) coverageRule(x float64, rows int, row, bottom float64, w Width) {
	if w != Narrow {
		p.rule(x, 24, x, bottom, "")
		return
	}
	for i := range rows {
		y := 28 + row*float64(i+1)
		p.rule(x, y-22, x, y-4, "")
	}
}

func (p *pen) coverage(r Coverage, s scale, least, y, row, names float64, w Width) {
	mid, base, most := y+row/2, y+row/2+5, names
	if w == Narrow {
		mid, base, most = y+row-13, y+15, float64(w)
	}
	p.coverageName(r, base, most, w)
	if r.Claimed >= 0 && r.Realised >= 0 {
		ink := Quota
		if r.Realised < r.Claimed {
			ink = Down
		}
		p.stroke(ink, 3, "", "", [2]float64{s.at(r.Claimed - least), mid}, [2]float64{s.at(r.Realised - least), mid})
	}
	if r.Claimed >= 0 {
		p.ring(Metal, s.at(r.Claimed-least), mid, "claimed "+Percent(r.Claimed))
	}
	if r.Realised >= 0 {
		p.dot(Quota, s.at(r.Realised-least), mid, true, "realised "+Percent(r.Realised))
	}
	if w != Narrow {
		p.text(float64(w), base, fit(r.Note, small, 182), style{size: small, quiet: true, at: end})
	}
}

// coverageName writes the name of a row. On a phone one that is too long goes on in a second line, behind its last point.
func (p *pen) coverageName(r Coverage, base, most float64, w Width) {
	name := r.Name
	if i := strings.LastIndex(name, " · "); w == Narrow && i > 0 && width(name, body) > most {
		p.text(0, base+16, fit(name[i+len(" · "):], body, most), style{quiet: r.Faint})
		name = name[:i]
	}
	p.text(0, base, fit(name, body, most), style{quiet: r.Faint})
}

// percentMark writes a share at an axis: no digit behind the point that says nothing.
func percentMark(share float64) string {
	return strconv.FormatFloat(math.Round(share*1000)/10, 'f', -1, 64) + " %"
}

// Percent writes a share: 0.99 is 99.0 %.
func Percent(share float64) string { return strconv.FormatFloat(share*100, 'f', 1, 64) + " %" }
