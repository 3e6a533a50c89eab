package backtest

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// colours of policies, which differ in lightness too.
var colours = map[string]string{"fixed": "#8a8f98", "rolling": "#c98a2b", "binomial": "#2f7fc1", "calibrated": "#1d7a46", "hindsight": "#7a4fa3"}

const (
	panelWidth, panelHeight = 300, 220
	left, top, right, below = 52, 34, 14, 36
)

// SVG draws the same as Plot, a panel for each group (down) and horizon (across).
func SVG(w io.Writer, rows []Row) error {
	all := panels(rows)
	across := 1
	for across < len(all) && all[across][0].Group == all[0][0].Group {
		across++
	}
	down := (len(all) + across - 1) / across
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11" role="img">`+"\n",
		across*panelWidth, down*panelHeight+28)
	b.WriteString("<title>Promises kept by mean buffer</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n")
	for i, panel := range all {
		drawPanel(&b, panel, (i%across)*panelWidth, (i/across)*panelHeight)
	}
	legend(&b, rows, down*panelHeight+14)
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func drawPanel(b *strings.Builder, panel []Row, x0, y0 int) {
	most := scale(panel)
	wide, high := float64(panelWidth-left-right), float64(panelHeight-top-below)
	x := func(buffer float64) float64 { return float64(x0+left) + wide*buffer/most }
	y := func(realised float64) float64 { return float64(y0+top) + high*(1-height(realised)) }
	fmt.Fprintf(b, `<text x="%d" y="%d" font-weight="bold">%s, %s</text>`+"\n", x0+left, y0+20, panel[0].Group, Hours(panel[0].Horizon))
	for _, r := range []struct {
		realised float64
		text     string
	}{{1, "all kept"}, {0.999, "99.9 %"}, {0.99, "99 %"}, {0.9, "90 %"}, {0.5, "50 %"}} {
		stroke, dash := "#ddd", ""
		if r.realised == 0.99 {
			stroke, dash = "#b3261e", ` stroke-dasharray="4 3"`
		}
		fmt.Fprintf(b, `<line x1="%d" x2="%.1f" y1="%.1f" y2="%.1f" stroke="%s"%s/>`, x0+left, x(most), y(r.realised), y(r.realised), stroke, dash)
		fmt.Fprintf(b, `<text x="%d" y="%.1f" text-anchor="end" fill="#555">%s</text>`+"\n", x0+left-5, y(r.realised)+4, r.text)
	}
	for i := range 6 {
		buffer := most * float64(i) / 5
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle" fill="#555">%.3g %%</text>`, x(buffer), y0+panelHeight-below+16, 100*buffer)
	}
	for _, kind := range Policies {
		drawCurve(b, panel, kind, x, y)
	}
	for _, r := range panel {
		fmt.Fprintf(b, "\n"+`<circle cx="%.1f" cy="%.1f" r="4" fill="%s"><title>%s: %.2f %% kept, %.2f %% held back</title></circle>`,
			x(r.Buffer), y(r.Realised), colourOf(r.Policy), r.Policy, 100*r.Realised, 100*r.Buffer)
	}
	b.WriteString("\n")
}

// drawCurve joins the points of one kind of policy, from the smallest buffer to the largest.
func drawCurve(b *strings.Builder, panel []Row, kind string, x, y func(float64) float64) {
	var points []Row
	for _, r := range panel {
		if strings.HasPrefix(r.Policy, kind+"=") {
			points = append(points, r)
		}
	}
	if len(points) < 2 {
		return
	}
	slices.SortStableFunc(points, func(a, b Row) int { return cmp.Compare(a.Buffer, b.Buffer) })
	fmt.Fprintf(b, "\n"+`<polyline fill="none" stroke="%s" points="`, colours[kind])
	for _, r := range points {
		fmt.Fprintf(b, "%.1f,%.1f ", x(r.Buffer), y(r.Realised))
	}
	b.WriteString(`"/>`)
}

func colourOf(policy string) string {
	kind, _, _ := strings.Cut(policy, "=")
	return colours[kind]
}

func legend(b *strings.Builder, rows []Row, y int) {
	x := left
	for _, kind := range Policies {
		if !slices.ContainsFunc(rows, func(r Row) bool { return strings.HasPrefix(r.Policy, kind+"=") }) {
			continue
		}
		fmt.Fprintf(b, `<circle cx="%d" cy="%d" r="4" fill="%s"/><text x="%d" y="%d">%s</text>`+"\n", x, y, colours[kind], x+9, y+4, kind)
		x += 30 + 7*len(kind)
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" fill="#555">kept (up) by mean buffer (right); up and to the left is better</text>`+"\n", x+10, y+4)
}
