package simulated

import (
	"container/heap"
	"math/rand/v2"
	"time"

	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Faults makes nodes fail and come back, each by random numbers of its own. A
// fault walks its node through quarantined, repairing, validating and probation;
// what ends probation is Muster's own rule.
type Faults struct {
	settings FaultSettings
	seed     uint64
	steps    steps
	nodes    uint64 // how many it knows
}

// ailing is a node and what will happen to it next.
type ailing struct {
	name   string
	number uint64
	rng    *rand.Rand
	rate   float64 // faults that come by themselves, per day
	blips  float64 // per day

	at     fleet.Instant // of the next step
	next   fleet.NodeState
	signal string
	down   time.Duration // of the present fault
}

// NewFaults is a generator for nodes still to be added.
func NewFaults(seed uint64, settings FaultSettings) *Faults {
	return &Faults{settings: settings, seed: seed}
}

// Add lets a node fail from now on. A node that is down already goes on from
// there; one that people have taken out of service is left alone.
func (f *Faults) Add(at fleet.Instant, name string, state fleet.NodeState) {
	n := &ailing{name: name, number: f.nodes, rng: stream(f.seed, "node", f.nodes), at: at}
	f.nodes++
	f.temper(n)
	switch {
	case state == fleet.Healthy:
		f.trouble(n)
	case state == fleet.Suspect:
		n.at, n.next = at.Add(f.settings.BlipSpan.draw(n.rng)), fleet.Healthy
	case state.InRepair() || state == fleet.Probation:
		f.strike(n)
		n.next = state
		f.advance(n)
	default:
		return
	}
	heap.Push(&f.steps, n)
}

// temper draws how often the node fails. Lemons are part of the fleet's rate, and
// so are the faults that recur.
func (f *Faults) temper(n *ailing) {
	s := f.settings
	n.rate = s.Rate / 1000 * (1 - s.Recurs) * gamma(n.rng, s.Shape) / (1 - s.Lemons + s.Lemons*s.LemonRate)
	if n.rng.Float64() < s.Lemons {
		n.rate *= s.LemonRate
	}
	n.blips = s.Blips / 1000
}

// trouble plans what befalls a healthy node next: a fault or a blip.
func (f *Faults) trouble(n *ailing) {
	fault, blip := exponential(n.rng, n.rate), exponential(n.rng, n.blips)
	if blip < fault {
		n.at, n.next, n.signal = n.at.Add(blip), fleet.Suspect, "no heartbeat"
		return
	}
	n.at = n.at.Add(fault)
	f.strike(n)
}

// far is longer than any simulation, and short enough to be added to a moment.
const far = 100 * 365 * day

func exponential(r *rand.Rand, perDay float64) time.Duration {
	if perDay <= 0 {
		return far
	}
	return min(far, time.Duration(min(r.ExpFloat64()/perDay, float64(far/day))*float64(day)))
}

// strike plans a fault: its cause and how long the node will be down.
func (f *Faults) strike(n *ailing) {
	total := 0
	for _, c := range f.settings.Causes {
		total += c.Weight
	}
	pick := n.rng.IntN(total)
	for _, c := range f.settings.Causes {
		if pick -= c.Weight; pick < 0 {
			n.signal = c.Signal
			n.down = min(f.settings.MaxDown, max(time.Minute, lognormal(n.rng, c.Median, c.Sigma)))
			break
		}
	}
	n.next = fleet.Quarantined
}

// advance plans the step after the one that was just taken.
func (f *Faults) advance(n *ailing) {
	switch n.next {
	case fleet.Quarantined:
		n.at, n.next = n.at.Add(triage(n.down)), fleet.Repairing
	case fleet.Repairing:
		n.at, n.next = n.at.Add(n.down-triage(n.down)-validation(n.down)), fleet.Validating
	case fleet.Validating:
		n.at, n.next = n.at.Add(validation(n.down)), fleet.Probation
	case fleet.Suspect:
		n.at, n.next, n.signal = n.at.Add(f.settings.BlipSpan.draw(n.rng)), fleet.Healthy, "heartbeat again"
	case fleet.Probation:
		f.release(n)
	default:
		f.trouble(n)
	}
}

// release plans what follows a repair: some faults recur within a day, the other
// nodes have no trouble before probation is over.
func (f *Faults) release(n *ailing) {
	if n.rng.Float64() < f.settings.Recurs {
		n.at = n.at.Add(time.Duration(n.rng.Float64() * float64(day)))
		f.strike(n)
		return
	}
	n.at = n.at.Add(f.settings.Probation)
	f.trouble(n)
}

// triage and validation are the first and the last part of a down time.
func triage(down time.Duration) time.Duration     { return min(time.Hour, down/4) }
func validation(down time.Duration) time.Duration { return min(30*time.Minute, down/4) }

func (f *Faults) due() fleet.Instant {
	if f == nil || len(f.steps) == 0 {
		return fleet.Never
	}
	return f.steps[0].at
}

// next takes the step that is due and plans the one after it.
func (f *Faults) next() driver.Report {
	n := f.steps[0]
	signal := n.signal
	if n.next != fleet.Quarantined && n.next != fleet.Suspect && n.next != fleet.Healthy {
		signal += ": " + string(n.next)
	}
	report := driver.Report{At: n.at, Nodes: &driver.Nodes{Names: []string{n.name}, State: n.next, Signal: signal}}
	f.advance(n)
	heap.Fix(&f.steps, 0)
	return report
}

// steps keeps nodes in order of what happens to them next; ties in order of their numbers.
type steps []*ailing

func (s steps) Len() int      { return len(s) }
func (s steps) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s steps) Less(i, j int) bool {
	if s[i].at != s[j].at {
		return s[i].at < s[j].at
	}
	return s[i].number < s[j].number
}
func (s *steps) Push(x any) { *s = append(*s, x.(*ailing)) }
func (s *steps) Pop() any {
	last := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return last
}
