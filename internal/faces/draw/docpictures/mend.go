package main

import "github.com/muster-fleet/muster/internal/faces/draw"

// mend shows how a gang gets one new node for one that failed, and how the node
// comes back.
func mend() []byte {
	c := newCanvas(900, 400, "A training job runs on four nodes, and flex work on two. The second node fails. "+
		"A flex node takes its place, and the other three nodes go on. The failed node is repaired, validated and watched for a day before it is promised again.")
	c.text("head", 20, 32, "A failed node is swapped; the rest of the job keeps its nodes")
	c.h = 300
	x := c.panel(0, "A job on 4 nodes", "Its four nodes work as one:", "all of them run, or none.")
	c.holds(x, 4, draw.Flex, true, "training job", "flex")
	x = c.panel(1, "One of its nodes fails", "Flex work leaves a node of the same", "island: that is what the buffer is for.")
	c.holds(x, 4, draw.Flex, true, "training job", "flex")
	c.node(draw.Wait, true, x, 110, 4)
	c.arrow(x+4*42+18, 100, x+1*42+24, 100)
	c.fails(x, 110, 1)
	x = c.panel(2, "The job goes on", "Three nodes were kept, one is new.", "The team's quota has not changed.")
	c.holds(x, 5, draw.Flex, true, "training job, on 4 nodes", "flex")
	c.fails(x, 110, 1)
	c.h = 400
	c.text("name", 20, 325, "The failed node")
	c.life(150, 305, "quarantined", "repaired", "validated", "probation: 24 h", "healthy")
	c.text("quiet", 150, 365, "It serves flex only in probation, and is promised to a team again once it is healthy.")
	c.text("quiet", 150, 384, "Every step is recorded with its moment, its cause and who did it.")
	return c.done()
}

// fails marks a node of a panel as out of service.
func (c *canvas) fails(x, y, n int) {
	c.box(draw.Down, x+n*42, y, 36, 36)
	c.add(`<path d="M%d %dl20 20m0 -20l-20 20" stroke="#fff" stroke-width="3"/>`, x+n*42+8, y+8)
}

// life draws steps one after the other.
func (c *canvas) life(x, y int, steps ...string) {
	const wide, gap = 120, 28
	for i, step := range steps {
		at := x + i*(wide+gap)
		c.add(`<rect class="card" x="%d" y="%d" width="%d" height="32" rx="6"/>`, at, y, wide)
		c.centred("says", at+wide/2, y+21, step)
		if i > 0 {
			c.arrow(at-gap+2, y+16, at-2, y+16)
		}
	}
}
