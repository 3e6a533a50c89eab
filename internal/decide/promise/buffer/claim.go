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

// Outlook is what may become of a pool within a horizon, in nodes.
type Outlook struct {
	More int // so many more may go down than are down now
	Most int // and no more than these are down at one moment, by the pool's own record
}

// Worse is the larger of two outlooks, each figure by itself.
func (o Outlook) Worse(p Outlook) Outlook { return Outlook{max(o.More, p.More), max(o.Most, p.Most)} }

// Down is how many nodes may be down at one moment, given those that are now.
func (o Outlook) Down(now int) int { return max(now, min(now+o.More, o.Most)) }

// Held is how many of a pool's nodes are held back: those down now and those
// expected to follow, within floor and ceiling (both rounded up to whole nodes).
func (c Claim) Held(nodes, down int, o Outlook) int {
	held := max(o.Down(down), portion(c.Floor, nodes))
	return min(held, portion(c.Ceiling, nodes), nodes)
}

// Promised is how many of a pool's nodes may be promised: what is not held
// back, and never more than are up.
func (c Claim) Promised(nodes, down int, o Outlook) int {
	return max(0, min(nodes-c.Held(nodes, down, o), nodes-down))
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

// A Forecast learns a pool's past hour by hour, and says what may become of it
// within its claim's horizon. It forgets nothing: how much of the past counts is its
// caller's choice.
type Forecast interface {
	Learn(h Hour)
	Ahead(nodes int) Outlook
	// Believe changes what is believed besides the pool's own history.
	Believe(p Prior)
}
