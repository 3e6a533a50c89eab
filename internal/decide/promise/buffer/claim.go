package buffer

// The two horizons of semantics §2, in hours: what is promisable now, and what
// is sustainable.
const (
	Promisable  = 24
	Sustainable = 28 * 24
)

// Claim is what a policy promises: with this confidence, over this horizon, and
// never with less than floor or more than ceiling held back.
type Claim struct {
	Confidence float64 // share of promises that are to be kept, between 0 and 1
	Floor      float64 // least share of the nodes that is held back
	Ceiling    float64 // largest share of the nodes that is held back
	Horizon    int     // hours
}

// Held is how many of a pool's nodes are held back: those down now and those
// expected to follow, within floor and ceiling (both rounded up to whole nodes).
func (c Claim) Held(nodes, down, more int) int {
	held := max(down+more, portion(c.Floor, nodes))
	return min(held, portion(c.Ceiling, nodes), nodes)
}

// Promised is how many of a pool's nodes may be promised: what is not held
// back, and never more than are up.
func (c Claim) Promised(nodes, down, more int) int {
	return max(0, min(nodes-c.Held(nodes, down, more), nodes-down))
}

// portion is a share of n, rounded up. A share is a count of thousandths by
// origin: what is less than that apart is the same.
func portion(share float64, n int) int {
	thousandths := int(share*1000 + 0.5)
	return (thousandths*n + 999) / 1000
}

// Hour is one hour of a pool's past.
type Hour struct {
	Nodes int // installed
	Level int // nodes down when the hour began
	Peak  int // most nodes down at one moment of the hour; never below Level
}

// A Forecast learns a pool's past hour by hour, and says how many more nodes
// may go down within its claim's horizon than are down now. It forgets nothing:
// how much of the past counts is its caller's choice.
type Forecast interface {
	Learn(h Hour)
	More(nodes int) int
	// Believe changes what is believed besides the pool's own history.
	Believe(p Prior)
}
