package draw

import (
	"html"
	"strconv"
	"strings"
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

// Share is what one quota has of an island, in nodes.
type Share struct {
	Quota  string
	Letter string // stands where the name has no room
	Nodes  int
	Href   string
}

// Strip is how an island's nodes are spoken for: which quotas stand on it, what of
// the rest could be promised on it alone, and what is whole and kept back.
type Strip struct {
	Shares  []Share
	Nodes   int // installed
	Whole   int // healthy
	OwnPart int // that may be promised on the island alone
}

// letters name quotas where their names have no room.
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// Letter is how the drawings of a page call its i-th quota.
func Letter(i int) string {
	if i < len(letters) {
		return letters[i : i+1]
	}
	return string(letters[i/len(letters)-1]) + letters[i%len(letters):i%len(letters)+1]
}

// How large a node is drawn.
const (
	cell = 22.0
	gap  = 3.0
)

// nodeBytes is about what one node takes in a drawing.
const nodeBytes = 384

// Island draws the nodes of one island, rack by rack: what of each is held by
// colour and hatching, its state by a shape. Below them stands which quotas it backs.
func Island(id, label string, racks []Rack, across int, backs *Strip) SVG {
	names, nodes := 0.0, 0
	for _, r := range racks {
		names, nodes = max(names, width(r.Name, small)+8), nodes+len(r.Cells)
	}
	p := newPenFor(id, label, names+float64(across)*(cell+gap), nodes*nodeBytes)
	y := 0.0
	for _, r := range racks {
		p.text(0, y+15, r.Name, style{size: small, quiet: true})
		for i, c := range r.Cells {
			p.node(c, names+float64(i%across)*(cell+gap), y+float64(i/across)*(cell+gap))
		}
		rows := (len(r.Cells) + across - 1) / across
		y += float64(max(1, rows))*(cell+gap) + 4
	}
	y = max(cell, y-gap-4+gap)
	if backs != nil {
		y = p.strip(backs, 0, p.w, y+10)
	}
	return p.done(y)
}

// strip draws how an island's nodes are spoken for, as wide as it may be: a bar of its
// nodes, in which each quota has its part. It returns where it ends.
func (p *pen) strip(b *Strip, x0, x1, y float64) float64 {
	const high = 16.0
	s := scale{most: float64(max(1, b.Nodes)), x0: x0, x1: x1}
	backed := 0
	for _, one := range b.Shares {
		backed += one.Nodes
	}
	p.rect(Empty, x0, y, x1-x0, high, Count(b.Nodes, "node"))
	at := 0
	part := func(n int, ink Ink, says string) {
		n = min(n, b.Nodes-at)
		p.rect(ink, s.of(at), y, s.of(at+n)-s.of(at), high, says)
		at += n
	}
	for _, one := range b.Shares {
		x, long := s.of(at), s.of(at+one.Nodes)-s.of(at)
		p.named(one.Href, one.Quota+", "+Count(one.Nodes, "node"), func() {
			part(one.Nodes, Quota, one.Quota+" stands on "+Count(one.Nodes, "node"))
			if name := short(one, long-10); name != "" {
				p.onBar(x, long, y, name)
			}
		})
		if at < b.Nodes {
			p.raw(`<rect x="`, px(s.of(at)-1), `" y="`, px(y), `" width="2" height="`, px(high), `" class="d-ground" fill="`, ground, `"/>`)
		}
	}
	part(max(0, b.OwnPart-backed), Paper, Count(max(0, b.OwnPart-backed), "node")+" more may be promised here, and back no quota")
	part(max(0, b.Whole-max(backed, b.OwnPart)), Buffer, Count(max(0, b.Whole-max(backed, b.OwnPart)), "node")+" healthy, kept back")
	part(max(0, b.Nodes-max(b.Whole, backed)), Down, Count(max(0, b.Nodes-b.Whole), "node")+" not healthy")
	return y + high
}

// short is a quota's name if it fits, else the end of it if that says enough, else its letter.
func short(s Share, most float64) string {
	last := s.Quota[strings.LastIndex(s.Quota, "/")+1:]
	for _, name := range []string{s.Quota, "…/" + last, last, s.Letter} {
		if width(name, small) <= most {
			return name
		}
	}
	return ""
}

// onBar writes a word on a bar, on a plate of the ground's colour so that it is read
// on any of them.
func (p *pen) onBar(x, long, y float64, s string) {
	w := width(s, small)
	p.raw(`<rect x="`, px(x+(long-w)/2-2), `" y="`, px(y+1.5), `" width="`, px(w+4), `" height="13" rx="2" class="d-ground" fill="`, ground, `"/>`)
	p.text(x+long/2, y+12, s, style{size: small, at: middle})
}

// named is link for what has no words of its own to be called by.
func (p *pen) named(href, name string, fn func()) {
	if href == "" {
		fn()
		return
	}
	p.links = true
	p.raw(`<a href="`, html.EscapeString(href), `" aria-label="`, html.EscapeString(name), `">`)
	fn()
	p.raw("</a>")
}

// node draws one node. Its name, and what is said of it, show on hover.
func (p *pen) node(c Cell, x, y float64) {
	if c.Href != "" {
		p.links = true
		p.raw(`<a href="`, html.EscapeString(c.Href), `" aria-label="`, html.EscapeString(c.Name+", "+c.State), `">`)
		defer p.raw("</a>")
	} else {
		p.raw("<g>")
		defer p.raw("</g>")
	}
	p.title(c.Says)
	if c.State == "retired" {
		p.rect(Paper, x, y, cell, cell, "")
		return
	}
	p.rect(Empty, x, y, cell, cell, "")
	at := y + cell
	for _, part := range c.Held {
		h := cell * float64(part.GPUs) / float64(max(1, c.GPUs))
		at -= h
		p.rect(part.Ink, x, at, cell, h, "")
	}
	p.sign(c.State, x+cell/2, y+cell/2)
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
func (p *pen) sign(state string, x, y float64) {
	s, ok := signs[state]
	if !ok {
		return
	}
	p.raw(`<rect x="`, px(x-9), `" y="`, px(y-9), `" width="18" height="18" rx="3" class="d-ground" fill="`, ground, `"/>`)
	p.raw(`<path transform="translate(`, px(x), ` `, px(y), `)" d="`, s.path, `" class="i-`, string(s.ink), `" fill="`, inkOf(s.ink).Light, `"`)
	p.close("path", "")
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
