package draw

import "time"

// Moment is what a quota had and used at one moment, in GPUs.
type Moment struct {
	At                        time.Time
	Assigned, Backed          int
	Scheduled, Borrowed, Over int
	Flex                      int
	Lent                      int // of what is backed, used by siblings
}

// Gap is a time in which no server ran: what was then is not known.
type Gap struct{ From, To time.Time }

// Timeline draws use, stacked, against the stepped line of what is backed. Gaps are covered.
func Timeline(id, label string, list []Moment, gaps []Gap, from, to time.Time, w Width) SVG {
	p := newPen(id+px(float64(w)), label, float64(w))
	const top, bottom = 10.0, 220.0
	most := 1
	for _, m := range list {
		most = max(most, m.Assigned, m.Backed, m.Scheduled+m.Borrowed+m.Over+m.Flex)
	}
	left := width(Number(most), small) + 16
	s := span{from, to, left, float64(w) - 10}
	v := scale{most: float64(most) * 1.05, x0: bottom, x1: top}
	p.values(v, left, float64(w)-10, "")
	p.times(s, top, bottom)
	layers := []struct {
		ink  Ink
		of   func(Moment) int
		says string
	}{
		{Quota, func(m Moment) int { return m.Scheduled }, "used, and backed"},
		{Borrow, func(m Moment) int { return m.Borrowed }, "borrowed from siblings"},
		{Over, func(m Moment) int { return m.Over }, "over (cut)"},
		{Flex, func(m Moment) int { return m.Flex }, "on flex"},
	}
	base := make([]int, len(list))
	for _, l := range layers {
		p.layer(l.ink, l.says, list, base, l.of, s, v)
		if l.ink == Over { // what siblings use hangs from the line of what is backed
			p.layer(Lent, "lent to siblings", list, lentFrom(list, base), func(m Moment) int { return m.Lent }, s, v)
		}
	}
	p.steps(Paper, 1.5, "4 3", "assigned", list, func(m Moment) int { return m.Assigned }, s, v)
	p.steps(Metal, 2.5, "", "backed", list, func(m Moment) int { return m.Backed }, s, v)
	for _, g := range gaps {
		p.gap(g, s, top, bottom)
	}
	return p.done(p.timelineKeys(list, bottom+30))
}

// gap covers a time of which nothing is known, and says so.
func (p *pen) gap(g Gap, s span, top, bottom float64) {
	x0, x1 := max(s.x0, s.at(g.From)), min(s.x1, s.at(g.To))
	if x1 <= x0 {
		return
	}
	const says = "no server ran"
	p.rect(Empty, x0, top, max(1, x1-x0), bottom-top, says)
	if x1-x0 > width(says, small)+8 {
		p.text((x0+x1)/2, (top+bottom)/2, says, style{size: small, at: middle})
	}
}

// lentFrom is where lent begins, so that it ends where backing does. Of a quota with
// others below it that lend to each other, it begins where their use ends.
func lentFrom(list []Moment, used []int) []int {
	from := make([]int, len(list))
	for i, m := range list {
		from[i] = max(used[i], m.Backed-m.Lent)
	}
	return from
}

// timelineKeys says what the lines and the layers are that the picture has.
func (p *pen) timelineKeys(list []Moment, y float64) float64 {
	x := 0.0
	for _, l := range []struct {
		ink  Ink
		wide float64
		dash string
		text string
	}{{Metal, 2.5, "", "backed"}, {Paper, 1.5, "4 3", "assigned"}} {
		p.stroke(l.ink, l.wide, l.dash, "", [2]float64{x, y + 6}, [2]float64{x + 20, y + 6})
		p.text(x+26, y+10, l.text, style{size: small, quiet: true})
		x += 26 + width(l.text, small) + 16
	}
	var keys []key
	sum := Moment{}
	for _, m := range list {
		sum.Scheduled, sum.Borrowed, sum.Over, sum.Flex, sum.Lent = sum.Scheduled+m.Scheduled, sum.Borrowed+m.Borrowed, sum.Over+m.Over, sum.Flex+m.Flex, sum.Lent+m.Lent
	}
	for _, k := range []struct {
		n int
		key
	}{{sum.Scheduled, key{Quota, "used, and backed"}}, {sum.Lent, key{Lent, "lent"}}, {sum.Borrowed, key{Borrow, "borrowed"}}, {sum.Over, key{Over, "over (cut)"}}, {sum.Flex, key{Flex, "on flex"}}} {
		if k.n > 0 {
			keys = append(keys, k.key)
		}
	}
	return p.legend(x, y, keys...)
}

// layer stacks one figure on what is there, and adds it to that.
func (p *pen) layer(ink Ink, says string, list []Moment, base []int, of func(Moment) int, s span, v scale) {
	seen := false
	var up, down [][2]float64
	for i, m := range list {
		x0, x1 := s.at(m.At), s.x1
		if i+1 < len(list) {
			x1 = s.at(list[i+1].At)
		}
		n := of(m)
		seen = seen || n > 0
		low, high := v.of(base[i]), v.of(base[i]+n)
		base[i] += n
		up = append(up, [2]float64{x0, high}, [2]float64{x1, high})
		down = append(down, [2]float64{x0, low}, [2]float64{x1, low})
	}
	if !seen {
		return
	}
	for i := len(down) - 1; i >= 0; i-- {
		up = append(up, down[i])
	}
	p.area(ink, says, up...)
}

// steps draws a figure as a line that changes at moments, and stays between them.
func (p *pen) steps(ink Ink, wide float64, dash, says string, list []Moment, of func(Moment) int, s span, v scale) {
	var points [][2]float64
	for i, m := range list {
		y := v.of(of(m))
		if i > 0 {
			points = append(points, [2]float64{s.at(m.At), points[len(points)-1][1]})
		}
		points = append(points, [2]float64{s.at(m.At), y})
	}
	if len(points) > 0 {
		points = append(points, [2]float64{s.x1, points[len(points)-1][1]})
		p.stroke(ink, wide, dash, says, points...)
	}
}
