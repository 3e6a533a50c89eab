package main

import "github.com/muster-fleet/muster/internal/faces/draw"

const (
	cell   = 34  // a node's width, with the gap after it
	side   = 30  // a node's side
	column = 200 // where the nodes of a row begin
)

// nodes draws some nodes of a row; kind says what they are.
func (c *canvas) nodes(kind draw.Ink, hatched bool, y, from, to int) {
	for n := from; n < to; n++ {
		if hatched {
			c.hatched(kind, column+n*cell, y, side, side)
		} else {
			c.box(kind, column+n*cell, y, side, side)
		}
	}
}

// under sums up some nodes of a row.
func (c *canvas) under(y, from, to int, words string) {
	x1, x2 := column+from*cell, column+to*cell-(cell-side)
	c.brace(x1, x2, y+side+4, 5)
	c.centred("quiet", (x1+x2)/2, y+side+26, words)
}

// promise shows one island's nodes from what is installed to what is used.
func promise() []byte {
	c := newCanvas(900, 420, "Twenty nodes. Two are in repair and three are the buffer, so seventeen may be promised. "+
		"Sixteen are granted to two teams, who use thirteen of them. The other five healthy nodes are flex.")
	c.text("head", 20, 32, "What is promised always stands on healthy nodes")
	c.row(60, "installed", "20 nodes of 8 GPUs")
	c.nodes(draw.Metal, false, 60, 0, 18)
	c.nodes(draw.Down, false, 60, 18, 20)
	c.under(60, 0, 18, "18 healthy")
	c.under(60, 18, 20, "in repair")
	c.row(150, "may be promised", "85 % of 20 nodes")
	c.nodes(draw.Metal, false, 150, 0, 17)
	c.nodes(draw.Buffer, true, 150, 17, 20)
	c.under(150, 0, 17, "17 nodes: promisable")
	c.under(150, 17, 20, "buffer: 3")
	c.row(240, "granted", "what teams see as quota")
	c.nodes(draw.Quota, false, 240, 0, 16)
	c.under(240, 0, 10, "team oak: 10")
	c.under(240, 10, 16, "team elm: 6")
	c.row(330, "in use", "no healthy node is idle")
	c.nodes(draw.Quota, false, 330, 0, 7)
	c.nodes(draw.Flex, true, 330, 7, 10)
	c.nodes(draw.Quota, false, 330, 10, 16)
	c.nodes(draw.Flex, true, 330, 16, 18)
	c.under(330, 0, 7, "oak's work: 7")
	c.under(330, 7, 10, "flex: 3")
	c.under(330, 10, 16, "elm's work: 6")
	c.under(330, 16, 18, "flex: 2")
	return c.done()
}

// row names a row of nodes.
func (c *canvas) row(y int, name, says string) {
	c.text("name", 20, y+14, name)
	c.text("quiet", 20, y+32, says)
}
