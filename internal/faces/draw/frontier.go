package draw

import (
	"cmp"
	"math"
	"slices"
)

// Trade is one point of the frontier: how much is kept back, and how often the
// promise breaks.
type Trade struct {
	Name   string
	Kind   string  // of the policy: those of a kind are joined by a line
	Buffer float64 // the mean share that is kept back, 0..1
	Broken float64 // the share of promises broken, 0..1
	Own    bool    // it is the one that is looked at
	Quiet  bool    // its name is left out
}

// tradeLook is how points of one kind look.
type tradeLook struct {
	kind string
	ink  Ink
	dash string
}

// tradeLooks are how kinds of policies are told apart: by an ink, and by a dash.
var tradeLooks = []tradeLook{
	{"fixed", Metal, ""}, {"calibrated", Quota, "6 3"}, {"binomial", Borrow, "2 3"}, {"rolling", Idle, "8 3 2 3"},
}

// TradeKinds lists the kinds of policies that have a look of their own.
func TradeKinds() (list []string) {
	for _, look := range tradeLooks {
		list = append(list, look.kind)
	}
	return list
}

// Frontier draws buffer against broken promises: left and low is better. The points of
// a kind of policy are joined; the one that is looked at is filled, and named.
func Frontier(list []Trade, w Width) SVG {
	p := newPen("frontier"+px(float64(w)), "Mean buffer against broken promises, by policy", float64(w))
	const top, bottom, left = 26.0, 266.0, 60.0
	mostX, mostY := 0.05, 0.01
	for _, t := range list {
		mostX, mostY = max(mostX, t.Buffer), max(mostY, t.Broken)
	}
	x := scale{most: mostX * 1.1, x0: left, x1: float64(w) - 16}
	y := scale{most: mostY * 1.1, x0: bottom, x1: top}
	for _, v := range shares(y.most) {
		p.rule(left, y.at(v), x.x1, y.at(v), "")
		p.text(left-6, y.at(v)+4, percentMark(v), style{size: small, quiet: true, at: end})
	}
	p.text(0, 11, "↑ promises broken", style{size: small, quiet: true})
	for _, v := range shares(x.most)[1:] { // both begin with 0
		p.text(x.at(v), bottom+20, percentMark(v), style{size: small, quiet: true, at: middle})
	}
	p.trades(list, x, y)
	p.text(x.x1, bottom+38, "mean buffer →", style{size: small, quiet: true, at: end})
	return p.done(p.tradeKeys(list, bottom+48))
}

// shares are round shares from 0 to most, at most six of them.
func shares(most float64) (list []float64) {
	for _, step := range []float64{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5} {
		if most/step < 6 {
			for i := 0; float64(i)*step <= most*0.98; i++ {
				list = append(list, float64(i)*step)
			}
			return list
		}
	}
	return []float64{0, 1}
}

// trades draws the points, kind by kind, and then the names.
func (p *pen) trades(list []Trade, x, y scale) {
	for _, look := range tradeLooks {
		p.tradeLine(look, list, x, y)
	}
	p.tradeNames(list, x, y)
}

// tradeLine draws the points of one kind, and the line through them.
func (p *pen) tradeLine(look tradeLook, list []Trade, x, y scale) {
	var line []Trade
	for _, t := range list {
		if t.Kind == look.kind || t.Kind == "" && look.kind == "fixed" {
			line = append(line, t)
		}
	}
	slices.SortStableFunc(line, func(a, b Trade) int { return cmp.Compare(a.Buffer, b.Buffer) })
	var points [][2]float64
	for _, t := range line {
		points = append(points, [2]float64{x.at(t.Buffer), y.at(t.Broken)})
	}
	if len(points) > 1 {
		p.stroke(look.ink, 1.5, look.dash, "", points...)
	}
	for i, t := range line {
		p.dot(look.ink, points[i][0], points[i][1], t.Own, t.Name+": buffer "+Percent(t.Buffer)+", broken "+Percent(t.Broken))
	}
}

// tradeNames writes the names that have room.
func (p *pen) tradeNames(list []Trade, x, y scale) {
	var points [][2]float64
	for _, t := range list {
		points = append(points, [2]float64{x.at(t.Buffer), y.at(t.Broken)})
	}
	var taken []room
	for _, own := range []bool{true, false} { // the one that is looked at has its name first
		for _, t := range list {
			if t.Own == own && !t.Quiet {
				taken = p.tradeName(t, x.at(t.Buffer), y.at(t.Broken), x.x1, points, taken)
			}
		}
	}
}

// room is where a word stands.
type room struct{ x0, x1, y float64 }

// from is how far a point is from a word.
func (r room) from(x, y float64) float64 {
	return math.Hypot(x-min(max(x, r.x0), r.x1), y-min(max(y, r.y-11), r.y+3))
}

// tradeName writes a point's name beside it, where no other name stands; else nowhere:
// its hover has it, and the table.
func (p *pen) tradeName(t Trade, tx, ty, right float64, points [][2]float64, taken []room) []room {
	name := fit(t.Name, small, 160)
	long := width(name, small)
	for _, at := range []room{{tx + 10, tx + 10 + long, ty - 11}, {tx - 10 - long, tx - 10, ty - 11}, {tx + 10, tx + 10 + long, ty + 19}, {tx - 10 - long, tx - 10, ty + 19}, {tx + 12, tx + 12 + long, ty + 4}, {tx - 12 - long, tx - 12, ty + 4}} {
		clash := at.x1 > right || at.x0 < 62 || at.y < 28 || at.y > 262
		for _, o := range taken {
			clash = clash || at.x0 < o.x1+4 && o.x0 < at.x1+4 && at.y-o.y < 14 && o.y-at.y < 14
		}
		for _, q := range points { // no name covers a point
			clash = clash || q[0]+7 > at.x0-2 && q[0]-7 < at.x1+2 && q[1]+7 > at.y-11 && q[1]-7 < at.y+3
			// ... nor stands nearer to another one than to its own
			clash = clash || at.from(q[0], q[1]) < at.from(tx, ty)-1
		}
		if clash {
			continue
		}
		p.raw(`<rect x="`, px(at.x0-2), `" y="`, px(at.y-11), `" width="`, px(long+4), `" height="14" class="d-ground" fill="`, ground, `"/>`)
		p.text(at.x0, at.y, name, style{size: small, quiet: !t.Own, bold: t.Own})
		return append(taken, at)
	}
	return taken
}

// tradeKeys says which kind is which.
func (p *pen) tradeKeys(list []Trade, y float64) float64 {
	at := 0.0
	for _, look := range tradeLooks {
		if !slices.ContainsFunc(list, func(t Trade) bool { return t.Kind == look.kind }) {
			continue
		}
		long := 48 + width(look.kind, small) + 16
		if at+long-16 > p.w {
			at, y = 0, y+20
		}
		p.stroke(look.ink, 1.5, look.dash, "", [2]float64{at, y + 6}, [2]float64{at + 40, y + 6})
		p.dot(look.ink, at+20, y+6, false, "")
		p.text(at+48, y+10, look.kind, style{size: small, quiet: true})
		at += long
	}
	if at == 0 {
		return y
	}
	return y + 20
}
