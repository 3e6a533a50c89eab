package draw

import (
	"slices"
	"strings"
)

// Stair is one step of a staircase: of gangs of so many GPUs, how many could start
// now, by quota and besides on flex.
type Stair struct {
	GPUs        int
	Quota, Flex int
}

// Stairs draws a staircase: the larger the gang, the fewer could start. Pale are the
// inks of which others wait for the same room, and come first.
func Stairs(id, label string, steps []Stair, pale ...Ink) SVG {
	const w, h, top = 300.0, 132.0, 18.0
	p := newPen(id, label, w)
	bottom := h - 20
	most := 1
	for _, s := range steps {
		most = max(most, s.Quota+s.Flex)
	}
	sc := scale{most: float64(most), x0: bottom, x1: top}
	p.rule(0, bottom, w, bottom, "")
	if len(steps) == 0 || steps[0].Quota+steps[0].Flex == 0 {
		p.text(w/2, 70, "no whole node is free now", style{size: small, quiet: true, at: middle})
	}
	step := w / float64(max(4, len(steps)))
	for i, s := range steps {
		x := float64(i) * step
		says := "Gangs of " + Number(s.GPUs) + " GPUs: " + Number(s.Quota) + " by quota, " + Number(s.Flex) + " more on flex"
		q, all := sc.of(s.Quota), sc.of(s.Quota+s.Flex)
		p.faint(slices.Contains(pale, Quota), func() { p.rect(Quota, x+3, q, step-6, bottom-q, says) })
		p.faint(slices.Contains(pale, Flex), func() { p.rect(Flex, x+3, all, step-6, q-all, says) })
		text, quietly := stairText(s), s.Quota+s.Flex == 0
		if width(text, small) > step-2 {
			text = brief(s.Quota + s.Flex)
		}
		p.text(x+step/2, all-4, text, style{size: small, at: middle, quiet: quietly})
		p.text(x+step/2, bottom+15, brief(s.GPUs), style{size: small, quiet: true, at: middle})
	}
	return p.done(h)
}

// faint draws paler what is not to be had at once.
func (p *pen) faint(pale bool, fn func()) {
	if !pale {
		fn()
		return
	}
	p.raw(`<g opacity="0.4">`)
	fn()
	p.raw(`</g>`)
}

func stairText(s Stair) string {
	switch {
	case s.Flex == 0:
		return Number(s.Quota)
	case s.Quota == 0:
		return "+" + Number(s.Flex)
	}
	return Number(s.Quota) + "+" + Number(s.Flex)
}

// Titled is a drawing with a name.
type Titled struct {
	Title, Note string
	SVG         SVG
}

// Sheet puts staircases side by side, three in a row, each under its name.
func Sheet(id, label string, list []Titled) SVG {
	const across, w, h = 3, 340.0, 190.0
	p := newPen(id, label, across*w)
	for i, one := range list {
		x, y := float64(i%across)*w, float64(i/across)*h
		p.text(x+8, y+18, fit(one.Title, body, w-24), style{bold: true})
		p.text(x+8, y+35, fit(one.Note, small, w-24), style{size: small, quiet: true})
		p.raw(`<svg x="`, px(x+8), `" y="`, px(y+42), `" `, strings.TrimPrefix(string(one.SVG), `<svg xmlns="http://www.w3.org/2000/svg" `))
	}
	y := float64((len(list)+across-1)/across)*h + 8
	p.text(8, y+10, "Across: GPUs of one gang. Up: how many such gangs could start now, by quota + on flex besides. Pale: others wait for it and come first.", style{size: small, quiet: true})
	return p.done(p.legend(8, y+22, key{Quota, Means(Quota)}, key{Flex, Means(Flex)}) + 4)
}

// StairsOf counts how many gangs of each size could start where so many GPUs are
// to be had, and so many whole nodes in each island. The sizes are 1, 2, 4 …
// nodes, up to one that fits nowhere.
func StairsOf(perNode, quota int, quotaNodes []int, flexNodes []int) []Stair {
	var list []Stair
	for nodes := 1; perNode > 0; nodes *= 2 {
		s := Stair{GPUs: nodes * perNode, Quota: min(quota/(nodes*perNode), gangs(nodes, quotaNodes)), Flex: gangs(nodes, flexNodes)}
		list = append(list, s)
		if s.Quota+s.Flex == 0 && len(list) >= 4 || len(list) == 12 {
			break
		}
	}
	return list
}

// gangs is how many gangs of so many nodes fit into islands with so many each.
func gangs(nodes int, islands []int) (n int) {
	for _, there := range islands {
		n += there / nodes
	}
	return n
}
