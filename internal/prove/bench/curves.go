package bench

import (
	"fmt"
	"math"
	"strings"
)

// Curve is how a figure grows: a line of a panel.
type Curve struct {
	Panel  string  `json:"panel"` // what is measured, with its unit
	Name   string  `json:"name"`  // what differs between the lines of a panel
	Across string  `json:"across"`
	Points []Point `json:"points"`
}

// Point is one measurement of a curve.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// grows adds a point to the curve of that name.
func (r *Report) grows(panel, name, across string, at Point) {
	for i := range r.Curves {
		if c := &r.Curves[i]; c.Panel == panel && c.Name == name {
			c.Points = append(c.Points, at)
			return
		}
	}
	r.Curves = append(r.Curves, Curve{Panel: panel, Name: name, Across: across, Points: []Point{at}})
}

// curveColours differ in lightness too; curveDashes tell lines apart without colour.
var (
	curveColours = []string{"#2f7fc1", "#1d7a46", "#c0562b", "#7a4fa3"}
	curveDashes  = []string{"", "6 3", "2 3", "8 3 2 3"}
)

const (
	curveWide, curveHigh = 360, 250
	curveLeft, curveTop  = 58, 34
	curveInner, curveTal = curveWide - curveLeft - 32, curveHigh - curveTop - 46
)

// Picture draws a report's curves as SVG, a panel for each thing measured, both axes
// logarithmic: a straight line is a power, a level one no growth. "": it has no curves.
func (r Report) Picture() string {
	var panels []string
	of := map[string][]Curve{}
	for _, c := range r.Curves {
		if of[c.Panel] == nil {
			panels = append(panels, c.Panel)
		}
		of[c.Panel] = append(of[c.Panel], c)
	}
	if len(panels) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11" role="img">`+"\n",
		len(panels)*curveWide, curveHigh+24)
	fmt.Fprintf(&b, "<title>%s: how it grows</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n", r.Bench)
	for i, name := range panels {
		newPanel(of[name], i*curveWide).draw(&b, of[name])
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// panel turns figures into places.
type panel struct {
	x0                     int
	lowX, highX, lowY, top float64 // powers of ten
}

func newPanel(curves []Curve, x0 int) panel {
	p := panel{x0: x0, lowX: math.Inf(1), highX: math.Inf(-1), lowY: math.Inf(1), top: math.Inf(-1)}
	for _, c := range curves {
		for _, at := range c.Points {
			p.lowX, p.highX = min(p.lowX, math.Log10(at.X)), max(p.highX, math.Log10(at.X))
			p.lowY, p.top = min(p.lowY, math.Floor(math.Log10(at.Y))), max(p.top, math.Ceil(math.Log10(at.Y)))
		}
	}
	p.highX, p.top = max(p.highX, p.lowX+1), max(p.top, p.lowY+1)
	return p
}

func (p panel) x(v float64) float64 {
	return float64(p.x0+curveLeft) + curveInner*(math.Log10(v)-p.lowX)/(p.highX-p.lowX)
}

func (p panel) y(v float64) float64 {
	return curveTop + curveTal*(p.top-math.Log10(v))/(p.top-p.lowY)
}

func (p panel) draw(b *strings.Builder, curves []Curve) {
	fmt.Fprintf(b, `<text x="%d" y="20" font-weight="bold">%s</text>`+"\n", p.x0+curveLeft, curves[0].Panel)
	for power := p.lowY; power <= p.top; power++ {
		y := p.y(math.Pow(10, power))
		fmt.Fprintf(b, `<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#ddd"/>`, p.x0+curveLeft, p.x0+curveLeft+curveInner, y, y)
		fmt.Fprintf(b, `<text x="%d" y="%.1f" text-anchor="end" fill="#555">%s</text>`+"\n", p.x0+curveLeft-5, y+4, thousands(math.Pow(10, power)))
	}
	for _, at := range curves[0].Points {
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle" fill="#555">%s</text>`+"\n", p.x(at.X), curveTop+curveTal+16, thousands(at.X))
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle" fill="#555">%s</text>`+"\n",
		p.x0+curveLeft+curveInner/2, curveTop+curveTal+32, curves[0].Across)
	for i, c := range curves {
		p.curve(b, c, i)
	}
}

// curve draws one line, and its name in the legend below.
func (p panel) curve(b *strings.Builder, c Curve, i int) {
	colour, dash := curveColours[i%len(curveColours)], curveDashes[i%len(curveDashes)]
	fmt.Fprintf(b, `<polyline fill="none" stroke="%s" stroke-width="2" stroke-dasharray="%s" points="`, colour, dash)
	for _, at := range c.Points {
		fmt.Fprintf(b, "%.1f,%.1f ", p.x(at.X), p.y(at.Y))
	}
	b.WriteString("\"/>\n")
	for _, at := range c.Points {
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3.5" fill="%s"><title>%s, %s %s: %s</title></circle>`+"\n",
			p.x(at.X), p.y(at.Y), colour, c.Name, thousands(at.X), c.Across, digits(at.Y))
	}
	x, y := p.x0+curveLeft+i*110-40, curveHigh+6
	fmt.Fprintf(b, `<line x1="%d" x2="%d" y1="%d" y2="%d" stroke="%s" stroke-width="2" stroke-dasharray="%s"/><text x="%d" y="%d">%s</text>`+"\n",
		x, x+18, y, y, colour, dash, x+22, y+4, c.Name)
}

// thousands is a number with its thousands apart: 10,000.
func thousands(v float64) string {
	text := fmt.Sprintf("%.4g", v)
	if v >= 1000 {
		text = fmt.Sprintf("%.0f", v)
	}
	for i := len(text) - 3; i > 0 && v >= 1000; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
