package buildstudy

import (
	"fmt"
	"strings"
	"time"
)

// The picture's size, and its plot within, in pixels.
const (
	width, height = 720, 320
	left, right   = 56, 20
	top, bottom   = 40, 46
)

// SVG draws which share of the clusters is in production, by the time since they had their quota.
func (r *Result) SVG() string {
	most := max(quantile(r.Today, 98), quantile(r.Lead, 98), time.Hour)
	x := func(d time.Duration) float64 {
		return left + float64(width-left-right)*float64(min(d, most))/float64(most)
	}
	y := func(share float64) float64 { return top + float64(height-top-bottom)*(1-share) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="Share of clusters in production by the time since their quota came">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", width, height)
	for _, share := range []float64{0, 0.5, 0.9, 1} {
		fmt.Fprintf(&b, `<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#d9dde3"/><text x="%d" y="%.1f" text-anchor="end" fill="#4a5361">%.0f %%</text>`+"\n", left, width-right, y(share), y(share), left-8, y(share)+4, 100*share)
	}
	days := max(1, int(most.Hours()/24))
	for d := 0; d <= days; d += max(1, days/8) {
		at := x(time.Duration(d) * 24 * time.Hour)
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle" fill="#4a5361">%d</text>`+"\n", at, height-bottom+18, d)
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle" fill="#4a5361">days since the quota came</text>`+"\n", (left+width-right)/2, height-8)
	curve := func(list []time.Duration, colour string) {
		fmt.Fprintf(&b, `<path fill="none" stroke="%s" stroke-width="2.5" d="M%.1f %.1f`, colour, x(0), y(0))
		for i, d := range list {
			fmt.Fprintf(&b, " H%.1f V%.1f", x(d), y(float64(i+1)/float64(len(list))))
		}
		fmt.Fprintf(&b, ` H%d"/>`+"\n", width-right)
	}
	curve(r.Today, "#b45309")
	curve(r.Lead, "#1d5fbf")
	fmt.Fprintf(&b, `<text x="%d" y="22" fill="#1d5fbf" font-weight="600">Muster</text><text x="%d" y="22" fill="#b45309" font-weight="600">people who look every working day at 10:00</text>`+"\n</svg>\n", left, left+80)
	return b.String()
}
