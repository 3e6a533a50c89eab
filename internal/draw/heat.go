package draw

import (
	"html"
	"strconv"
)

// Cell is one node of a heat map.
type Cell struct {
	Name  string
	State string // healthy, suspect ...
	Held  []Part // what of it is held, and by whom
	GPUs  int
	Href  string
	Says  string
	Found bool // the reader looked for it
}

// Rack is nodes that share a switch.
type Rack struct {
	Name  string
	Cells []Cell
}

// How large a node is drawn.
const (
	cell = 22.0
	gap  = 3.0
)

// Island draws the nodes of one island, rack by rack: what of each is held by
// colour and hatching, its state by a shape.
func Island(id, label string, racks []Rack, across int) SVG {
	names := 0.0
	for _, r := range racks {
		names = max(names, width(r.Name, small)+8)
	}
	p := newPen(id, label, names+float64(across)*(cell+gap))
	y := 0.0
	for _, r := range racks {
		p.text(0, y+15, r.Name, style{size: small, quiet: true})
		for i, c := range r.Cells {
			p.node(c, names+float64(i%across)*(cell+gap), y+float64(i/across)*(cell+gap))
		}
		rows := (len(r.Cells) + across - 1) / across
		y += float64(max(1, rows))*(cell+gap) + 4
	}
	return p.done(max(cell, y-gap-4+gap))
}

// node draws one node. Its name, and what is said of it, show on hover.
func (p *pen) node(c Cell, x, y float64) {
	if c.Href != "" {
		p.links = true
		p.raw(`<a href="`, html.EscapeString(c.Href), `" aria-label="`, html.EscapeString(c.Name+", "+c.State), `">`)
		defer p.raw("</a>")
	}
	if c.State == "retired" {
		p.rect(Paper, x, y, cell, cell, c.Says)
		return
	}
	p.rect(Empty, x, y, cell, cell, c.Says)
	at := y + cell
	for _, part := range c.Held {
		h := cell * float64(part.GPUs) / float64(max(1, c.GPUs))
		at -= h
		p.rect(part.Ink, x, at, cell, h, c.Says)
	}
	p.sign(c.State, x+cell/2, y+cell/2, c.Says)
	if c.Found {
		p.raw(`<rect x="`, px(x+1), `" y="`, px(y+1), `" width="`, px(cell-2), `" height="`, px(cell-2), `" fill="none" class="e-word" stroke="`, word, `" stroke-width="2"/>`)
	}
}

// signs are the shapes of node states, around 0.
var signs = map[string]struct {
	ink  Ink
	path string
}{
	"suspect":     {Suspect, "M0 -6L6 5H-6Z"},
	"degraded":    {Suspect, "M-6 -6H6L-6 6Z"},
	"quarantined": {Down, "M-6 -4L-4 -6L0 -2L4 -6L6 -4L2 0L6 4L4 6L0 2L-4 6L-6 4L-2 0Z"},
	"repairing":   {Repair, "M0 -7L7 0L0 7L-7 0Z"},
	"validating":  {Validate, "M-6 -6H6V6H-6ZM-3 -3V3H3V-3Z"},
	"probation":   {Probation, "M0 -6A6 6 0 0 1 0 6A6 6 0 0 1 0 -6ZM0 -3A3 3 0 0 0 0 3A3 3 0 0 0 0 -3Z"},
	"maintenance": {Planned, "M-7 -2H7V2H-7Z"},
}

// sign draws a state's shape on a plate of its own, so that it is seen on any ground.
func (p *pen) sign(state string, x, y float64, says string) {
	s, ok := signs[state]
	if !ok {
		return
	}
	p.raw(`<rect x="`, px(x-9), `" y="`, px(y-9), `" width="18" height="18" rx="3" class="d-ground" fill="`, ground, `"/>`)
	p.raw(`<path transform="translate(`, px(x), ` `, px(y), `)" d="`, s.path, `" class="i-`, string(s.ink), `" fill="`, inkOf(s.ink).Light, `"`)
	p.close("path", says)
}

// Sign is the shape of a node state, for a legend.
func Sign(state string) SVG {
	p := newPen("shared", state, cell)
	p.guest = true
	p.node(Cell{State: state}, 0, 0)
	return p.done(cell)
}

// Block is an island as one bar, where its nodes are too many to be drawn.
type Block struct {
	Name  string
	Note  string
	Nodes int
	Parts []Part // of its GPUs
	GPUs  int
	Mark  int // GPUs that may be promised on it alone
	Href  string
}

// Blocks draws islands as bars, one below the other.
func Blocks(id, label string, blocks []Block, w Width) SVG {
	p := newPen(id+strconv.Itoa(int(w)), label, float64(w))
	names, notes := 120.0, 190.0
	if w == Narrow {
		names, notes = 76, 64
	}
	most := 0
	for _, b := range blocks {
		most = max(most, b.GPUs)
	}
	s := scale{most: float64(most), x0: names, x1: float64(w) - notes}
	for i, b := range blocks {
		y := float64(i) * 26
		p.link(b.Href, func() {
			p.text(0, y+17, fit(b.Name, body, names-8), style{})
			p.rect(Empty, s.x0, y+4, s.of(b.GPUs)-s.x0, 18, b.Note)
			at := 0
			for _, part := range b.Parts {
				n := min(part.GPUs, b.GPUs-at)
				p.rect(part.Ink, s.of(at), y+4, s.of(at+n)-s.of(at), 18, part.Says)
				at += n
			}
		})
		x := s.of(b.Mark)
		p.stroke(Metal, 2, "", Number(b.Mark)+" GPUs may be promised on "+b.Name+" alone", [2]float64{x, y + 2}, [2]float64{x, y + 24})
		p.text(float64(w), y+17, fit(b.Note, small, notes-8), style{size: small, quiet: true, at: end})
	}
	return p.done(float64(len(blocks))*26 + 2)
}
