package main

import "github.com/muster-fleet/muster/internal/faces/draw"

const (
	panelWidth = 290
	panelNodes = 6  // of each panel, in one row
	panelGap   = 8  // between two panels
	panelCell  = 42 // a node's width, with the gap after it
	panelSide  = 36 // a node's side
)

// panel is one of three moments beside each other.
func (c *canvas) panel(n int, title string, says ...string) (x int) {
	x = 15 + n*(panelWidth+panelGap)
	c.add(`<rect class="floor" x="%d" y="50" width="%d" height="%d" rx="8"/>`, x, panelWidth-panelGap, c.h-65)
	c.dot(x+22, 78, n+1)
	c.text("name", x+40, 83, title)
	for i, line := range says {
		c.text("quiet", x+14, c.h-68+i*19, line)
	}
	return x + 14
}

// node draws a node of a panel.
func (c *canvas) node(kind draw.Ink, hatched bool, x, y, n int) {
	if hatched {
		c.hatched(kind, x+n*panelCell, y, panelSide, panelSide)
	} else {
		c.box(kind, x+n*panelCell, y, panelSide, panelSide)
	}
}

// span names some nodes of a panel.
func (c *canvas) span(x, y, from, to int, words string) {
	x1, x2 := x+from*panelCell, x+to*panelCell-(panelCell-panelSide)
	c.brace(x1, x2, y+panelSide+4, 5)
	c.centred("quiet", (x1+x2)/2, y+panelSide+26, words)
}

// room shows how quota takes its nodes back from flex.
func room() []byte {
	c := newCanvas(900, 300, "First a flex job runs on nodes that team oak does not use. Then oak submits a job: the flex job is told to leave and has its grace. "+
		"Then oak's job runs, and the flex job waits in its queue with its age.")
	c.text("head", 20, 32, "Quota takes its nodes back; flex work waits and starts again")
	x := c.panel(0, "Oak uses 2 of its 6 nodes", "A flex job uses the other four.", "It knows that it may be interrupted.")
	c.holds(x, 2, draw.Flex, true, "oak's job", "flex job")
	x = c.panel(1, "Oak submits a job of 4 nodes", "The flex job is told to leave. It has", "30 s, or as it asked, to save its work.")
	c.holds(x, 2, draw.Wait, true, "oak's job", "reserved for oak")
	c.centred("quiet", x+4*panelCell-3, 204, "the flex job leaves")
	x = c.panel(2, "Oak's job runs", "The flex job keeps its age, waits, and", "starts again when there is room.")
	c.holds(x, 2, draw.Quota, false, "oak's job", "oak's new job")
	return c.done()
}

// holds draws the nodes of a panel: some in quota, the rest as said.
func (c *canvas) holds(x, first int, rest draw.Ink, hatched bool, names ...string) {
	const y = 110
	for n := range panelNodes {
		if n < first {
			c.node(draw.Quota, false, x, y, n)
		} else {
			c.node(rest, hatched, x, y, n)
		}
	}
	c.span(x, y, 0, first, names[0])
	c.span(x, y, first, panelNodes, names[1])
}
