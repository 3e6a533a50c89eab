package draw

import (
	"math"
	"time"
)

// scale maps values from 0 to most onto pixels.
type scale struct {
	most   float64
	x0, x1 float64
}

func (s scale) at(v float64) float64 {
	if s.most <= 0 {
		return s.x0
	}
	return s.x0 + (s.x1-s.x0)*math.Max(0, math.Min(1, v/s.most))
}

func (s scale) of(n int) float64 { return s.at(float64(n)) }

// ticks are round values from 0 to most, about as many as wanted.
func ticks(most float64, wanted int) []float64 {
	if most <= 0 {
		return []float64{0}
	}
	step := math.Pow(10, math.Floor(math.Log10(most/float64(wanted))))
	for _, m := range []float64{1, 2, 2.5, 5, 10} {
		if most/(step*m) <= float64(wanted) {
			step *= m
			break
		}
	}
	if step < 1 {
		step = 1
	}
	var list []float64
	for v := 0.0; v <= most+step/1000; v += step {
		list = append(list, v)
	}
	return list
}

// roundUp is the least multiple of the step between ticks that a value fits below: an axis that ends there has a mark at its end.
func roundUp(most float64, wanted int) float64 {
	list := ticks(most, wanted)
	if len(list) < 2 || list[len(list)-1] >= most {
		return most
	}
	return list[len(list)-1] + list[1]
}

// span maps moments onto pixels.
type span struct {
	from, to time.Time
	x0, x1   float64
}

func (s span) at(t time.Time) float64 {
	all := s.to.Sub(s.from)
	if all <= 0 {
		return s.x0
	}
	share := float64(t.Sub(s.from)) / float64(all)
	return s.x0 + (s.x1-s.x0)*math.Max(0, math.Min(1, share))
}

// steps between the marks of a time axis.
var steps = []time.Duration{
	time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour, 48 * time.Hour, 7 * 24 * time.Hour, 14 * 24 * time.Hour, 28 * 24 * time.Hour, 91 * 24 * time.Hour, 365 * 24 * time.Hour,
}

// times marks round moments below a picture, with lines up through it.
func (p *pen) times(s span, top, bottom float64) {
	each := 90.0
	if p.w <= float64(Narrow) {
		each = 72
	}
	wanted := math.Max(2, math.Floor((s.x1-s.x0)/each))
	all := s.to.Sub(s.from)
	step := steps[len(steps)-1]
	for _, one := range steps {
		if float64(all)/float64(one) <= wanted {
			step = one
			break
		}
	}
	format := "15:04"
	switch {
	case step < time.Minute:
		format = "15:04:05"
	case step >= 24*time.Hour:
		format = "2 Jan"
	}
	for t := s.from.Truncate(step).Add(step); !t.After(s.to); t = t.Add(step) {
		x := s.at(t)
		p.rule(x, top, x, bottom, "")
		w := width(t.Format(format), small) / 2
		if x-w >= max(0, s.x0-30) && x+w <= p.w {
			p.text(x, bottom+15, t.Format(format), style{size: small, quiet: true, at: middle})
		}
	}
}

// values marks round values at the left of a picture, with lines across it.
func (p *pen) values(s scale, x0, x1 float64, unit string) {
	for _, v := range ticks(s.most, 4) {
		y := s.at(v)
		p.rule(x0, y, x1, y, "")
		p.text(x0-6, y+4, Number(int(v))+unit, style{size: small, quiet: true, at: end})
	}
}

// key is one entry of a legend.
type key struct {
	ink  Ink
	text string
}

// legend says what inks mean, from x to the right edge, on as many rows as it
// takes. It returns where it ends.
func (p *pen) legend(x, y float64, keys ...key) float64 {
	at := x
	for _, k := range keys {
		w := 12 + 6 + width(k.text, small) + 16
		if at+w-16 > p.w && at > x {
			at, x, y = 0, 0, y+20
		}
		p.rect(k.ink, at, y, 12, 12, "")
		p.text(at+18, y+10, k.text, style{size: small, quiet: true})
		at += w
	}
	return y + 20
}
