package draw

import (
	"fmt"
	"strings"
)

// Ink is a colour with one meaning.
type Ink string

// The inks. Their meanings are in Inks.
const (
	Metal     Ink = "metal"
	Quota     Ink = "quota"
	Flex      Ink = "flex"
	Borrow    Ink = "borrow"
	Lent      Ink = "lent"
	Over      Ink = "over"
	Down      Ink = "down"
	Buffer    Ink = "buffer"
	Idle      Ink = "idle"
	Paper     Ink = "paper"
	Wait      Ink = "wait"
	Change    Ink = "change"
	Ask       Ink = "ask"
	Fault     Ink = "fault"
	Suspect   Ink = "suspect"
	Repair    Ink = "repair"
	Validate  Ink = "validate"
	Probation Ink = "probation"
	Planned   Ink = "planned"
	Empty     Ink = "empty"
)

// hatch is how an ink is told from others without its colour.
type hatch string

const (
	solid    hatch = "solid"
	rising   hatch = "rising"   // ///
	falling  hatch = "falling"  // \\\
	crossed  hatch = "crossed"  // XXX
	dotted   hatch = "dotted"   // ...
	standing hatch = "standing" // |||
	lying    hatch = "lying"    // three lines, one above the other
	grid     hatch = "grid"     // +++
	outlined hatch = "outlined" // a dashed edge, and nothing inside
)

// InkOf is what one ink looks like, and means.
type InkOf struct {
	Ink         Ink
	Light, Dark string
	Hatch       hatch
	Means       string
}

// Inks are all inks, in the order in which a legend names them.
var Inks = []InkOf{
	{Metal, "#59636e", "#9198a1", solid, "nodes: installed, healthy, promisable"},
	{Quota, "#0969da", "#4493f8", solid, "backed quota, and work guaranteed by it"},
	{Flex, "#1a7f37", "#3fb950", rising, "flex: healthy, and held by no in-quota work"},
	{Borrow, "#8250df", "#ab7df8", falling, "borrowed from siblings of the same tree"},
	{Lent, "#8250df", "#ab7df8", standing, "lent to siblings of the same tree, and backed"},
	{Over, "#cf222e", "#f85149", crossed, "over (cut): above what is backed, covered by no quota"},
	{Idle, "#9a6700", "#d29922", dotted, "idle: held, and long doing nothing"},
	{Buffer, "#818b98", "#656c76", rising, "buffer: healthy, kept back so that failures change no quota"},
	{Paper, "#818b98", "#9198a1", outlined, "assigned, not backed"},
	{Down, "#a40e26", "#ff7b72", solid, "down: out of service, quarantined"},
	{Suspect, "#bc4c00", "#f0883e", solid, "suspect or degraded: keeps what it runs, takes nothing new"},
	{Repair, "#953800", "#db6d28", solid, "repairing"},
	{Validate, "#6639ba", "#be8fff", solid, "validating"},
	{Probation, "#1b7c83", "#39c5cf", solid, "probation: back, and serving flex only"},
	{Planned, "#424a53", "#b7bdc8", standing, "maintenance: planned"},
	{Wait, "#0969da", "#4493f8", lying, "waits until other work has ended"},
	{Change, "#bf3989", "#f778ba", dotted, "waits, and the submitter can change that"},
	{Ask, "#9a6700", "#d29922", standing, "waits, and an operator can change that, or a quota owner"},
	{Fault, "#cf222e", "#f85149", grid, "something is broken"},
	{Empty, "#eff2f5", "#262c36", solid, "free"},
}

func inkOf(i Ink) InkOf {
	for _, k := range Inks {
		if k.Ink == i {
			return k
		}
	}
	panic("draw: no ink is named " + string(i))
}

// The colours of what is no figure: ground, words and lines.
const (
	ground     = "#ffffff"
	word       = "#1f2328"
	quiet      = "#59636e"
	line       = "#d1d9e0"
	groundDark = "#0d1117"
	wordDark   = "#f0f6fc"
	quietDark  = "#9198a1"
	lineDark   = "#3d444d"
)

// Stylesheet colours drawings inside a page: light where nothing is said, dark
// where the reader's system or the page says so.
func Stylesheet() string {
	var b strings.Builder
	b.WriteString(rules("", false))
	b.WriteString("@media (prefers-color-scheme: dark) {\n" + rules(":root:not([data-theme=light]) ", true) + "}\n")
	b.WriteString(rules(":root[data-theme=dark] ", true))
	b.WriteString("@media print {\n" + rules(":root ", false) + rules(":root:not([data-theme=light]) ", false) + rules(":root[data-theme=dark] ", false) + "}\n")
	return b.String()
}

func rules(scope string, dark bool) string {
	var b strings.Builder
	pick := func(l, d string) string {
		if dark {
			return d
		}
		return l
	}
	for _, k := range Inks {
		c := pick(k.Light, k.Dark)
		fmt.Fprintf(&b, "%[1]s.i-%[2]s{fill:%[3]s}%[1]s.s-%[2]s{stroke:%[3]s}\n", scope, k.Ink, c)
	}
	for _, k := range [][3]string{{"ground", ground, groundDark}, {"word", word, wordDark}, {"quiet", quiet, quietDark}, {"line", line, lineDark}} {
		fmt.Fprintf(&b, "%[1]s.d-%[2]s{fill:%[3]s}%[1]s.e-%[2]s{stroke:%[3]s}\n", scope, k[0], pick(k[1], k[2]))
	}
	return b.String()
}

// Means is what an ink stands for.
func Means(i Ink) string { return inkOf(i).Means }

// Swatch is a small sample of an ink, for a legend outside a drawing. It uses the
// hatchings of Shared.
func Swatch(i Ink) SVG {
	p := newPen("shared", string(i), 14)
	p.guest = true
	p.rect(i, 1, 1, 12, 12, "")
	return p.done(14)
}
