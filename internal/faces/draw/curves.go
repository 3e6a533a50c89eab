package draw

import (
	"time"

	"github.com/muster-fleet/muster/internal/state/text"
)

// Curve is how long failed nodes stayed out by one cause.
type Curve struct {
	Name  string
	Nodes int
	Steps []CurveStep
}

// CurveStep says that after so long this share is still out.
type CurveStep struct {
	After time.Duration
	Out   float64
}

// lineInks tell curves apart, each with a dash of its own.
var lineInks = []struct {
	ink  Ink
	dash string
}{{Quota, ""}, {Down, "8 3"}, {Flex, "2 3"}, {Borrow, "10 3 2 3"}, {Idle, "5 2"}, {Probation, "1 3"}}

// Curves draws survival curves: the share of failed nodes that is still out, by
// cause, over the time since they failed.
func Curves(list []Curve, w Width) SVG {
	p := newPen("curves"+px(float64(w)), "The share of failed nodes that is still out, over the time since they failed, by cause", float64(w))
	if len(list) > len(lineInks) {
		list = list[:len(lineInks)]
	}
	const top, bottom, left = 10.0, 210.0, 48.0
	longest := time.Minute
	for _, c := range list {
		if n := len(c.Steps); n > 0 {
			longest = max(longest, c.Steps[n-1].After)
		}
	}
	x1 := float64(w) - 12
	v := scale{most: 100, x0: bottom, x1: top}
	for _, share := range []float64{0, 25, 50, 75, 100} {
		p.rule(left, v.at(share), x1, v.at(share), "")
		p.text(left-6, v.at(share)+4, Number(int(share))+" %", style{size: small, quiet: true, at: end})
	}
	s := scale{most: float64(longest) * 1.02, x0: left, x1: x1}
	p.spans(s, longest, top, bottom)
	for i, c := range list {
		points := [][2]float64{{left, top}}
		y := top
		for _, st := range c.Steps {
			x := s.at(float64(st.After))
			points = append(points, [2]float64{x, y})
			y = v.at(st.Out * 100)
			points = append(points, [2]float64{x, y})
		}
		p.stroke(lineInks[i].ink, 2, lineInks[i].dash, c.Name, points...)
	}
	return p.done(p.lines(list, bottom+28))
}

// spans marks round times since a beginning.
func (p *pen) spans(s scale, longest time.Duration, top, bottom float64) {
	wanted := max(2, (s.x1-s.x0)/90)
	step := steps[len(steps)-1]
	for _, one := range steps {
		if float64(longest)/float64(one) <= wanted {
			step = one
			break
		}
	}
	for d := step; d <= longest; d += step {
		x := s.at(float64(d))
		p.rule(x, top, x, bottom, "")
		if lasts := Lasts(d); x+width(lasts, small)/2 <= p.w {
			p.text(x, bottom+15, lasts, style{size: small, quiet: true, at: middle})
		}
	}
}

// lines is the legend of curves.
func (p *pen) lines(list []Curve, y float64) float64 {
	x := 0.0
	for i, c := range list {
		text := fit(c.Name+" ("+Number(c.Nodes)+")", small, p.w-32)
		w := width(text, small) + 32
		if x+w > p.w && x > 0 {
			x, y = 0, y+20
		}
		p.stroke(lineInks[i].ink, 2, lineInks[i].dash, "", [2]float64{x, y + 6}, [2]float64{x + 24, y + 6})
		p.text(x+30, y+10, text, style{size: small, quiet: true})
		x += w + 16
	}
	return y + 20
}

// Lasts writes a length of time, as everything does: 45s, 5m20s, 3h5m, 2d4h.
func Lasts(d time.Duration) string { return text.About(d) }
