package draw

import (
	"fmt"
	"strings"
)

// Pile puts pictures below each other, each under its name.
func Pile(id, label string, list []Titled) SVG {
	p := newPen(id, label, float64(Wide))
	y := 0.0
	for _, one := range list {
		p.text(0, y+20, fit(one.Title, body, p.w), style{bold: true})
		y += 32
		p.raw(`<svg x="0" y="`, px(y), `" `, strings.TrimPrefix(string(one.SVG), `<svg xmlns="http://www.w3.org/2000/svg" `))
		y += heightOf(one.SVG) + 16
	}
	return p.done(max(y, 24))
}

// heightOf is how tall a drawing of this room is.
func heightOf(svg SVG) float64 {
	var w, h float64
	_, box, _ := strings.Cut(string(svg), `viewBox="0 0 `)
	if _, err := fmt.Sscanf(box, "%g %g", &w, &h); err != nil {
		return 0
	}
	return h
}
