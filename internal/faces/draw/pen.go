package draw

import (
	"bytes"
	"html"
	"math"
	"strconv"
	"strings"
)

// SVG is a drawing: one svg element that needs nothing beside it.
type SVG []byte

// Width is how wide a picture is drawn.
type Width int

// The widths: of a page, and of a phone.
const (
	Wide   Width = 1152
	Narrow Width = 340
)

// pen writes the elements of one drawing.
type pen struct {
	id    string // distinguishes its hatchings from those of other drawings of a page
	label string
	links bool
	guest bool // its hatchings are the page's (Shared), its letters too
	w, h  float64
	b     bytes.Buffer
	used  map[Ink]bool
}

func newPen(id, label string, w float64) *pen { return newPenFor(id, label, w, 0) }

// newPenFor is a pen for a drawing that takes about so many bytes.
func newPenFor(id, label string, w float64, bytes int) *pen {
	p := &pen{id: id, label: label, w: w, used: map[Ink]bool{}}
	p.b.Grow(headBytes + bytes)
	p.b.Write(make([]byte, headBytes))
	return p
}

// px writes a length: at most one digit after the point, so that the same figures
// are the same bytes on every machine.
func px(v float64) string {
	tenths := int64(math.Round(v * 10))
	if tenths%10 == 0 {
		return strconv.FormatInt(tenths/10, 10)
	}
	return strconv.FormatFloat(float64(tenths)/10, 'f', -1, 64)
}

func (p *pen) raw(parts ...string) {
	for _, s := range parts {
		p.b.WriteString(s)
	}
}

// paint is how a shape is filled: by its ink, or by its hatching.
func (p *pen) paint(i Ink) string {
	k := inkOf(i)
	switch k.Hatch {
	case solid:
		return ` class="i-` + string(i) + `" fill="` + k.Light + `"`
	case outlined:
		return ` class="s-` + string(i) + `" fill="none" stroke="` + k.Light + `" stroke-width="1.5" stroke-dasharray="4 3"`
	default:
		p.used[i] = true
		return ` fill="url(#` + p.hatchID(i) + `)"`
	}
}

func (p *pen) hatchID(i Ink) string { return p.id + "-" + string(i) }

// rect fills a rectangle; what is said of it shows when the pointer rests on it.
func (p *pen) rect(i Ink, x, y, w, h float64, says string) {
	if w <= 0 || h <= 0 {
		return
	}
	if inkOf(i).Hatch == outlined && w > 2 && h > 2 {
		x, y, w, h = x+0.8, y+0.8, w-1.6, h-1.6 // its edge stays inside
	}
	p.raw(`<rect x="`, px(x), `" y="`, px(y), `" width="`, px(w), `" height="`, px(h), `"`, p.paint(i))
	p.close("rect", says)
}

// close ends an element, with what is said of it.
func (p *pen) close(name, says string) {
	if says == "" {
		p.raw("/>")
		return
	}
	p.raw(">")
	p.title(says)
	p.raw("</", name, ">")
}

// title is what is said of the element that is open, and of all in it.
func (p *pen) title(says string) {
	if says != "" {
		p.raw("<title>", html.EscapeString(says), "</title>")
	}
}

// anchor says which end of a text stands at its place.
type anchor string

const (
	start  anchor = "start"
	middle anchor = "middle"
	end    anchor = "end"
)

// style of a text.
type style struct {
	size  float64
	quiet bool
	bold  bool
	at    anchor
}

func (p *pen) text(x, y float64, s string, st style) {
	if st.size == 0 {
		st.size = body
	}
	class, fill := "d-word", word
	if st.quiet {
		class, fill = "d-quiet", quiet
	}
	p.raw(`<text x="`, px(x), `" y="`, px(y), `" class="`, class, `" fill="`, fill, `" font-size="`, px(st.size), `"`)
	if st.at == middle || st.at == end {
		p.raw(` text-anchor="`, string(st.at), `"`)
	}
	if st.bold {
		p.raw(` font-weight="600"`)
	}
	p.raw(">", html.EscapeString(s), "</text>")
}

// rule draws a quiet line.
func (p *pen) rule(x1, y1, x2, y2 float64, dash string) {
	p.raw(`<line x1="`, px(x1), `" y1="`, px(y1), `" x2="`, px(x2), `" y2="`, px(y2), `" class="e-line" stroke="`, line, `" stroke-width="1"`)
	if dash != "" {
		p.raw(` stroke-dasharray="`, dash, `"`)
	}
	p.raw("/>")
}

// stroke draws a line of an ink through points.
func (p *pen) stroke(i Ink, wide float64, dash string, says string, points ...[2]float64) {
	p.raw(`<path d="`, path(points), `" fill="none" class="s-`, string(i), `" stroke="`, inkOf(i).Light, `" stroke-width="`, px(wide), `"`)
	if dash != "" {
		p.raw(` stroke-dasharray="`, dash, `"`)
	}
	p.close("path", says)
}

// area fills what points enclose.
func (p *pen) area(i Ink, says string, points ...[2]float64) {
	p.raw(`<path d="`, path(points), `Z"`, p.paint(i))
	p.close("path", says)
}

func path(points [][2]float64) string {
	var b bytes.Buffer
	for i, q := range points {
		if i == 0 {
			b.WriteByte('M')
		} else {
			b.WriteByte('L')
		}
		b.WriteString(px(q[0]) + " " + px(q[1]))
	}
	return b.String()
}

// dot draws a filled or an empty circle.
func (p *pen) dot(i Ink, x, y float64, filled bool, says string) {
	const r = 6.0
	k := inkOf(i)
	p.raw(`<circle cx="`, px(x), `" cy="`, px(y), `" r="`, px(r), `"`)
	if filled {
		p.raw(` class="i-`, string(i), `" fill="`, k.Light, `"`)
	} else {
		p.raw(` class="d-ground s-`, string(i), `" fill="`, ground, `" stroke="`, k.Light, `" stroke-width="2"`)
	}
	p.close("circle", says)
}

// ring is a circle around where a dot may stand: both are seen where they are in one place.
func (p *pen) ring(i Ink, x, y float64, says string) {
	p.raw(`<circle cx="`, px(x), `" cy="`, px(y), `" r="9" class="d-ground s-`, string(i), `" fill="`, ground, `" stroke="`, inkOf(i).Light, `" stroke-width="2"`)
	p.close("circle", says)
}

// link makes what fn draws lead somewhere; with no address it only draws. Its
// name is the words it holds.
func (p *pen) link(href string, fn func()) {
	if href == "" {
		fn()
		return
	}
	p.links = true
	p.raw(`<a href="`, html.EscapeString(href), `">`)
	fn()
	p.raw("</a>")
}

// headBytes is what is left at the beginning of a drawing for its head. How it begins is known once it is drawn, and
// pictures of islands are too large to be copied then.
const headBytes = 640

// done closes the drawing at a height.
func (p *pen) done(h float64) SVG {
	p.h = h
	p.hatchings()
	p.raw("</svg>")
	head, all := p.head(), p.b.Bytes()
	if len(head) > headBytes {
		return append([]byte(head), all[headBytes:]...)
	}
	from := headBytes - len(head)
	copy(all[from:], head)
	return all[from:]
}

// head is how the drawing begins, which its width, its height and its links say.
func (p *pen) head() string {
	role := "img"
	if p.links {
		role = "group"
	}
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ` + px(p.w) + ` ` + px(p.h) + `" width="` + px(p.w) + `" height="` + px(p.h) +
		`" role="` + role + `" aria-label="` + html.EscapeString(p.label) + `" font-family="system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif">` +
		`<rect width="` + px(p.w) + `" height="` + px(p.h) + `" class="d-ground" fill="` + ground + `"/>`
}

// hatchings are the patterns that the drawing used.
func (p *pen) hatchings() {
	if len(p.used) == 0 {
		return
	}
	p.raw("<defs>")
	for _, k := range Inks {
		if p.used[k.Ink] {
			p.raw(hatching(p.hatchID(k.Ink), k))
		}
	}
	p.raw("</defs>")
}

func hatching(id string, k InkOf) string {
	marks := map[hatch]string{
		rising:   `<path d="M-1 1L1 -1M0 6L6 0M5 7L7 5" %s/>`,
		falling:  `<path d="M-1 5L1 7M0 0L6 6M5 -1L7 1" %s/>`,
		crossed:  `<path d="M0 6L6 0M0 0L6 6" %s/>`,
		dotted:   `<path d="M1 1.5H3M4 4.5H6" %s/>`,
		standing: `<path d="M3 0V6" %s/>`,
		lying:    `<path d="M0 3H6" %s/>`,
		grid:     `<path d="M0 3H6M3 0V6" %s/>`,
	}
	ink := `class="s-` + string(k.Ink) + `" stroke="` + k.Light + `" stroke-width="1.6" fill="none"`
	return `<pattern id="` + id + `" width="6" height="6" patternUnits="userSpaceOnUse"><rect width="6" height="6" class="i-` + string(k.Ink) +
		`" fill="` + k.Light + `" fill-opacity="0.16"/>` + strings.Replace(marks[k.Hatch], "%s", ink, 1) + `</pattern>`
}
