package draw

import "time"

// Rung is one workload of a queue.
type Rung struct {
	Name     string
	Note     string // what it asks for
	Turn     int
	Running  bool
	Since    time.Time // since when it runs
	Ends     time.Time // when it must have ended, as declared; zero: not known
	P50, P90 time.Time // when it should start; zero: not known
	Why      string    // said where that is not known
	Ink      Ink
	Href     string
}

// Ladder draws a queue: workloads that run, and below them those that wait, each with a bar
// from the median (p50) to the 90th percentile (p90) of its expected start.
func Ladder(rungs []Rung, from, now, to time.Time, w Width) SVG {
	p := newPen("ladder"+px(float64(w)), "The queue, in its order", float64(w))
	names, row := 330.0, 26.0
	if w == Narrow {
		names, row = 0, 40
	}
	s := span{from, to, names, float64(w) - 8}
	top, bottom := 18.0, 18+row*float64(len(rungs))
	if w == Narrow {
		p.times(s, bottom-4, bottom) // lines would run through the names
	} else {
		p.times(s, top-4, bottom)
	}
	x := s.at(now)
	p.now(x)
	for i, r := range rungs {
		y := top + row*float64(i)
		bar := y + (row-14)/2
		if w == Narrow {
			bar = y + 22
		}
		p.link(r.Href, func() { p.rung(r, y, names, w) })
		over := p.start(r, s, now, bar)
		if w == Narrow && !over {
			p.stroke(Metal, 1, "3 3", "now", [2]float64{x, bar - 2}, [2]float64{x, bar + 16})
		}
	}
	if w != Narrow {
		p.stroke(Metal, 1, "3 3", "now", [2]float64{x, top - 4}, [2]float64{x, bottom})
	}
	return p.done(bottom + 22)
}

// now names the line of the present, inside the picture wherever it stands.
func (p *pen) now(x float64) {
	half := width("now", small)/2 + 1
	p.text(max(half, min(x, p.w-half)), 11, "now", style{size: small, quiet: true, at: middle})
}

func (p *pen) rung(r Rung, y, names float64, w Width) {
	turn := ""
	if r.Turn > 0 {
		turn = Number(r.Turn)
	}
	if w == Narrow {
		p.text(0, y+16, fit(turn+" "+r.Name+" · "+r.Note, body, float64(w)), style{})
		return
	}
	p.text(40, y+18, turn, style{quiet: true, at: end})
	name := fit(r.Name, body, 178)
	p.text(48, y+18, name, style{})
	p.text(names-12, y+18, fit(r.Note, small, names-12-48-width(name, body)-8), style{size: small, quiet: true, at: end})
}

// start draws when a rung runs, or should start; over says that its words stand where now is.
func (p *pen) start(r Rung, s span, now time.Time, y float64) (over bool) {
	const high = 14.0
	switch {
	case r.Running:
		to := r.Ends
		if to.IsZero() {
			to = now
		}
		x0, x1, x2 := s.at(r.Since), s.at(now), s.at(to)
		p.rect(r.Ink, x0, y, max(2, x1-x0), high, r.Name+" runs since "+moment(r.Since))
		p.rect(Paper, x1, y, x2-x1, high, r.Name+" must have ended by "+moment(to))
		p.runsOff(s, to, "until ", y)
	case r.P50.IsZero():
		text := r.Why
		if text == "" {
			text = "start not known"
		}
		return p.unknown(text, s.at(now), y+11)
	default:
		x0, x1 := s.at(r.P50), s.at(r.P90)
		says := r.Name + " is expected to start by " + moment(r.P50) + " (p50), and by " + moment(r.P90) + " (p90)"
		if r.P50.After(s.to) {
			p.runsOff(s, r.P50, "from ", y)
			return false
		}
		p.rect(r.Ink, x0, y, max(3, x1-x0), high, says)
		p.runsOff(s, r.P90, "to ", y)
	}
	return false
}

// runsOff says at the edge when a bar ends, or begins, that is longer than the axis.
func (p *pen) runsOff(s span, at time.Time, what string, y float64) {
	if !at.After(s.to) {
		return
	}
	text := what + at.UTC().Format("2 Jan 15:04") + " →"
	long := width(text, small) + 4 // as much as the plate behind it
	p.onBar(s.x1-long, long, y-0.5, text)
}

// unknown says beside now why the start of one is not known: behind it, where there is room, else before it, else
// across it.
func (p *pen) unknown(text string, now, y float64) (over bool) {
	long := width(text, small)
	switch {
	case long <= p.w-now-8:
		p.raw(`<rect x="`, px(now+6), `" y="`, px(y-10), `" width="`, px(long+4), `" height="13" class="d-ground" fill="`, ground, `"/>`) // no line of the axis crosses it
		p.text(now+8, y, text, style{size: small, quiet: true})
	case long <= now-8:
		p.text(now-8, y, text, style{size: small, quiet: true, at: end})
	default:
		p.text(p.w, y, fit(text, small, p.w), style{size: small, quiet: true, at: end})
		return true
	}
	return false
}

func moment(t time.Time) string { return t.UTC().Format("2 Jan 15:04:05") }
