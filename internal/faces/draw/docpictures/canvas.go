package main

import (
	"bytes"
	"fmt"
	"html"

	"github.com/muster-fleet/muster/internal/faces/draw"
)

// canvas is one picture in the making. Lengths are pixels.
type canvas struct {
	w, h  int
	title string
	b     bytes.Buffer
}

func newCanvas(w, h int, title string) *canvas { return &canvas{w: w, h: h, title: title} }

// add writes an element.
func (c *canvas) add(format string, args ...any) { fmt.Fprintf(&c.b, format+"\n", args...) }

// text writes words; its class says how they look: name, says, quiet, head, light.
func (c *canvas) text(class string, x, y int, words string) {
	c.add(`<text class="%s" x="%d" y="%d">%s</text>`, class, x, y, html.EscapeString(words))
}

// centred writes words around x.
func (c *canvas) centred(class string, x, y int, words string) {
	c.add(`<text class="%s" x="%d" y="%d" text-anchor="middle">%s</text>`, class, x, y, html.EscapeString(words))
}

// box draws a rectangle of an ink.
func (c *canvas) box(ink draw.Ink, x, y, w, h int) {
	c.add(`<rect class="i-%s" x="%d" y="%d" width="%d" height="%d" rx="4"/>`, ink, x, y, w, h)
}

// hatched draws a rectangle of an ink that is told from others without its colour.
func (c *canvas) hatched(ink draw.Ink, x, y, w, h int) {
	c.add(`<rect class="h-%s" x="%d" y="%d" width="%d" height="%d" rx="4" stroke-width="1.5"/>`, ink, x, y, w, h)
	c.add(`<path class="s-%s" stroke-width="1.2" d="`, ink)
	for at := 8; at < w+h; at += 8 {
		x1, y1 := x+min(at, w), y+max(0, at-w)
		x2, y2 := x+max(0, at-h), y+min(at, h)
		c.add(`M%d %dL%d %d`, x1, y1, x2, y2)
	}
	c.add(`"/>`)
}

// brace draws a line under or above what it sums up.
func (c *canvas) brace(x1, x2, y, tip int) {
	c.add(`<path class="line" d="M%d %dV%dH%dV%d"/>`, x1, y, y+tip, x2, y)
}

// arrow draws a line with a tip.
func (c *canvas) arrow(x1, y1, x2, y2 int) {
	c.add(`<path class="line" marker-end="url(#tip)" d="M%d %dL%d %d"/>`, x1, y1, x2, y2)
}

// dot draws a number in a circle.
func (c *canvas) dot(x, y, n int) {
	c.add(`<circle class="i-quota" cx="%d" cy="%d" r="10"/>`, x, y)
	c.add(`<text class="light" x="%d" y="%d" text-anchor="middle">%d</text>`, x, y+5, n)
}

// done is the whole picture: it looks right by itself, light and dark.
func (c *canvas) done() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s" `+
		`font-family="system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif">`+"\n", c.w, c.h, c.w, c.h, html.EscapeString(c.title))
	out.WriteString("<style>\n" + draw.Stylesheet() + looks + "</style>\n")
	out.WriteString(`<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto"><path class="tip" d="M0 0L10 5L0 10z"/></marker></defs>` + "\n")
	fmt.Fprintf(&out, `<rect class="d-ground" width="%d" height="%d"/>`+"\n", c.w, c.h)
	out.Write(c.b.Bytes())
	out.WriteString("</svg>\n")
	return out.Bytes()
}

// looks are the styles that package draw has none for.
const looks = `text{fill:#1f2328;font-size:14px}
.name{font-weight:600}.head{font-size:17px;font-weight:600}.quiet{fill:#59636e;font-size:13px}.light{fill:#fff;font-weight:600;font-size:13px}
.h-flex{fill:#dafbe1;stroke:#1a7f37}.h-buffer{fill:#f6f8fa;stroke:#818b98}.h-wait{fill:#ddf4ff;stroke:#0969da}
path{fill:none}.line{stroke:#59636e;stroke-width:1.5}.tip{fill:#59636e}
.edge{fill:none;stroke:#818b98;stroke-width:1.2;stroke-dasharray:5 4}
.floor{fill:#f6f8fa;stroke:#d1d9e0}.card{fill:#fff;stroke:#818b98}.pure{fill:#ddf4ff;stroke:#54aeff}
@media (prefers-color-scheme: dark){
text{fill:#f0f6fc}.quiet{fill:#9198a1}.light{fill:#0d1117}
.h-flex{fill:#12261e;stroke:#3fb950}.h-buffer{fill:#151b23;stroke:#656c76}.h-wait{fill:#121d2f;stroke:#4493f8}
.line{stroke:#9198a1}.tip{fill:#9198a1}.edge{stroke:#656c76}
.floor{fill:#151b23;stroke:#3d444d}.card{fill:#0d1117;stroke:#656c76}.pure{fill:#121d2f;stroke:#316dca}
}
`
