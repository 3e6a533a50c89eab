package backtest_test

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/muster-fleet/muster/internal/decide/promise/buffer"
	"github.com/muster-fleet/muster/internal/prove/backtest"
)

// A plant is a fleet that fails by another law than the kinds of fleets_test.go, and
// shares no code and no number with them. Each node wears: the time to its next
// failure is Weibull with a shape below one, so that a repaired node fails again
// soon, in a time that runs faster by day and in bad weeks. A repair's length is
// Pareto, with no mean to speak of. Racks lose random parts of themselves, and
// people take nodes out by the week.
type plant struct {
	name  string
	nodes int
	weeks int
	life  float64 // days between failures of the middle node
	shape float64 // of the Weibull law; 1: no memory
	tail  float64 // of the Pareto law of repairs
	night float64 // how much slower time runs at night, 0 to 1
	upset float64 // standard deviation of the logarithm of the pace of time, drawn every few weeks
	shift float64 // times the pace from a week in the second half on; 0: 1
	rack  int     // nodes
	lost  float64 // outages of racks a week
	chore float64 // share of the nodes that people take out each Tuesday
	young float64 // share of the nodes that are there at the beginning; 0: all
}

// turn is a moment, in hours, at which nodes went down, came back, or were added.
type turn struct {
	at          float64
	down, added int
}

// run plays one history.
func (k plant) run(seed uint64) backtest.Pool {
	p := &playing{plant: k, r: rand.New(rand.NewPCG(seed, 77)), hours: k.weeks * 168}
	p.away = make([]float64, k.nodes)
	p.setPace()
	for node := range k.nodes {
		p.wear(node)
	}
	p.outages()
	p.chores()
	return backtest.Pool{Name: k.name, GPUsPerNode: 8, Racks: k.racks(), Hours: p.grid()}
}

func (k plant) racks() int {
	if k.rack == 0 {
		return 1
	}
	return k.nodes / k.rack
}

// playing is a history that is being written. Stretches of one node may overlap: it is down once.
type playing struct {
	plant
	r       *rand.Rand
	hours   int
	pace    []float64 // of each hour
	spells  []spell
	away    []float64
	arrived []float64
}

type spell struct {
	node     int
	from, to float64
}

// setPace says how fast wear goes on in each hour.
func (p *playing) setPace() {
	mood, until := 1.0, 0
	shift := int(float64(p.hours) * (0.5 + 0.3*p.r.Float64()))
	for h := range p.hours {
		if h >= until {
			mood, until = math.Exp(p.upset*p.r.NormFloat64()-p.upset*p.upset/2), h+168*(2+p.r.IntN(5))
		}
		pace := mood * (1 + p.night*math.Sin(2*math.Pi*float64(h%24)/24))
		if p.shift > 0 && h >= shift {
			pace *= p.shift
		}
		p.pace = append(p.pace, pace)
	}
}

// wear lets one node fail and come back until the end.
func (p *playing) wear(node int) {
	born := 0
	if p.young > 0 && float64(node) >= p.young*float64(p.nodes) {
		born = p.r.IntN(p.hours*3/4) / 168 * 168 // nodes are added in weekly lots
	}
	p.arrived = append(p.arrived, float64(born))
	scale := 24 * p.life / math.Gamma(1+1/p.shape) * math.Exp(0.8*p.r.NormFloat64()-0.32)
	life := scale * math.Pow(p.r.ExpFloat64(), 1/p.shape) * p.r.Float64() // it has run for a while
	for h := born; h < p.hours; {
		if life -= p.pace[h]; life > 0 {
			h++
			continue
		}
		from := float64(h) + p.r.Float64()
		to := from + p.repair()
		p.spells = append(p.spells, spell{node, from, to})
		life = scale * math.Pow(p.r.ExpFloat64(), 1/p.shape)
		h = int(to) + 1
	}
}

// repair is how long a node is away, in hours.
func (p *playing) repair() float64 {
	return min(24*90, 2*math.Pow(1-p.r.Float64(), -1/p.tail))
}

// outages take a random part of a rack, seldom of two.
func (p *playing) outages() {
	for at := p.next(); at < float64(p.hours); at += p.next() {
		size := min(2*p.rack, int(2*math.Pow(1-p.r.Float64(), -1/1.1)))
		first, lasts := p.r.IntN(max(1, p.nodes-size)), p.repair()
		for node := first; node < first+size; node++ {
			p.spells = append(p.spells, spell{node, at, at + lasts})
		}
	}
}

func (p *playing) next() float64 {
	if p.lost == 0 {
		return math.Inf(1)
	}
	return 168 / p.lost * p.r.ExpFloat64()
}

// chores are what people do on Tuesday mornings, one lot of nodes after another.
func (p *playing) chores() {
	n := int(p.chore * float64(p.nodes))
	for h := 24 + 9; n > 0 && h < p.hours; h += 168 {
		for _, node := range p.r.Perm(p.nodes)[:n] {
			at := float64(h) + 2*p.r.Float64()
			p.spells = append(p.spells, spell{node, at, at + 1 + 3*p.r.Float64()})
		}
	}
}

// grid counts what was down at the beginning of each hour, and at its worst moment.
func (p *playing) grid() []buffer.Hour {
	var events []turn
	slices.SortFunc(p.spells, func(a, b spell) int { return sign(a.from - b.from) })
	for _, s := range p.spells {
		from := max(s.from, p.away[s.node], p.arrived[s.node])
		if s.to > from {
			events = append(events, turn{from, 1, 0}, turn{s.to, -1, 0})
			p.away[s.node] = s.to
		}
	}
	for _, at := range p.arrived {
		events = append(events, turn{at, 0, 1})
	}
	slices.SortStableFunc(events, func(a, b turn) int { return sign(a.at - b.at) })
	out := make([]buffer.Hour, p.hours)
	down, nodes, next := 0, 0, 0
	for h := range out {
		for ; next < len(events) && events[next].at <= float64(h); next++ {
			down, nodes = down+events[next].down, nodes+events[next].added
		}
		out[h] = buffer.Hour{Nodes: nodes, Level: down, Peak: down}
		for ; next < len(events) && events[next].at < float64(h+1); next++ {
			down, nodes = down+events[next].down, nodes+events[next].added
			out[h].Peak = max(out[h].Peak, down)
		}
	}
	return out
}

func sign(x float64) int {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return 0
}
