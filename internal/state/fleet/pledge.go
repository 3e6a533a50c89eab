package fleet

import "slices"

// This file keeps what became of every promise: one is made at each full hour, and
// is kept if the whole healthy nodes never fall below it within its horizon.

// The horizons of the two promises of semantics §2, in hours.
const (
	PromisableHours  = 24
	SustainableHours = 28 * 24
)

// Pledges are the promises that were made on an island or a partition over one
// horizon: those whose horizon is not over, and what became of the others.
type Pledges struct {
	Next Hour      `json:"next"`           // in which none was made yet
	Open []Pledge  `json:"open,omitempty"` // oldest first
	Done []Outcome `json:"done,omitempty"` // by policy, in the order in which they came to be in force
	Last int       `json:"last,omitempty"` // which of Done the last promise counts in
}

// Pledge is the same promise, made at several full hours one after another.
type Pledge struct {
	From  Hour `json:"from"`
	Hours int  `json:"hours"`
	Nodes int  `json:"nodes"`
	Done  int  `json:"done,omitempty"` // which of Outcome it will count in
}

// Outcome is what became of the promises made under a policy. All are counts of
// promises; HeldBack and Installed are sums over them, in nodes.
type Outcome struct {
	Policy    Buffer `json:"policy"`
	Mixed     bool   `json:"mixed,omitempty"` // islands had policies of their own
	Kept      int    `json:"kept"`
	Broken    int    `json:"broken"`
	HeldBack  int    `json:"heldBack"`
	Installed int    `json:"installed"`
}

// mostOutcomes is how many policies are told apart; older ones are let go.
const mostOutcomes = 16

// promised is what is promised from an hour on, and under which policy.
type promised struct {
	nodes, installed int
	policy           Buffer
	mixed            bool
}

// advance makes the promises of the full hours before a moment, and counts those
// whose horizon is over as kept.
func (l *Pledges) advance(at Instant, horizon Hour, what promised) {
	until := HourOf(at - 1) // the last hour that began before the moment
	if l.Next == 0 {
		l.Next = until + 1
		return
	}
	if made := int(until - l.Next + 1); made > 0 {
		l.make(made, what)
		l.Next = until + 1
	}
	l.expire(HourOf(at) - horizon)
}

func (l *Pledges) make(hours int, what promised) {
	if what.installed == 0 {
		return
	}
	done := l.outcome(what)
	l.Last = done
	l.Done[done].HeldBack += hours * (what.installed - what.nodes)
	l.Done[done].Installed += hours * what.installed
	if n := len(l.Open); n > 0 && l.Open[n-1].Nodes == what.nodes && l.Open[n-1].Done == done && l.Open[n-1].From+Hour(l.Open[n-1].Hours) == l.Next {
		l.Open[n-1].Hours += hours
		return
	}
	l.Open = append(l.Open, Pledge{From: l.Next, Hours: hours, Nodes: what.nodes, Done: done})
}

// outcome finds or makes the record of a policy.
func (l *Pledges) outcome(what promised) int {
	for i, o := range l.Done {
		if o.Policy == what.policy && o.Mixed == what.mixed {
			return i
		}
	}
	if len(l.Done) == mostOutcomes {
		l.Done = remove(l.Done, func(o Outcome) bool { return o == l.Done[0] })
		for i := range l.Open {
			l.Open[i].Done = max(0, l.Open[i].Done-1)
		}
	}
	l.Done = append(l.Done, Outcome{Policy: what.policy, Mixed: what.mixed})
	return len(l.Done) - 1
}

// expire counts promises made up to an hour as kept.
func (l *Pledges) expire(last Hour) {
	for len(l.Open) > 0 && l.Open[0].From <= last {
		o := &l.Open[0]
		n := min(o.Hours, int(last-o.From)+1)
		l.Done[o.Done].Kept += n
		o.From, o.Hours = o.From+Hour(n), o.Hours-n
		if o.Hours == 0 {
			l.Open = l.Open[1:]
		}
	}
}

// fall breaks the promises of more than so many nodes.
func (l *Pledges) fall(whole int) {
	for _, o := range l.Open {
		if o.Nodes > whole {
			l.Done[o.Done].Broken += o.Hours
		}
	}
	l.Open = remove(l.Open, func(o Pledge) bool { return o.Nodes > whole })
}

func (l *Pledges) clone() Pledges {
	c := *l
	c.Open, c.Done = slices.Clone(l.Open), slices.Clone(l.Done)
	return c
}

// pledge brings the record of promises up to a moment. Whatever changes what is
// promised or healthy comes after it.
func (p *Partition) pledge(at Instant) {
	if p.Pledges.Next > HourOf(at) {
		return // no hour has begun or ended since
	}
	for i, island := range p.Islands {
		island.Pledges.advance(at, PromisableHours, promised{island.Share, len(island.nodes), p.state.BufferFor(p, i), false})
	}
	what := p.promises()
	p.Pledges.advance(at, PromisableHours, what)
	what.nodes = p.Sustainable()
	p.LongPledges.advance(at, SustainableHours, what)
}

// promises is what the partition promises for a day.
func (p *Partition) promises() promised {
	what := promised{nodes: p.Promisable}
	for i, island := range p.Islands {
		b := p.state.BufferFor(p, i)
		if i == 0 {
			what.policy = b
		}
		what.mixed = what.mixed || b != what.policy
		what.installed += len(island.nodes)
	}
	if what.mixed {
		what.policy = Buffer{}
	}
	return what
}

// Judged is what became of the promises of the whole partition for a day, brought up
// to a moment. It changes nothing.
func (p *Partition) Judged(now Instant) Pledges {
	l := p.Pledges.clone()
	l.advance(now, PromisableHours, p.promises())
	return l
}

// SetPromise makes so many nodes promisable, and so many fewer sustainable, from a moment on.
func (p *Partition) SetPromise(promisable, unsustained int, at Instant) {
	p.pledge(at)
	p.Promisable, p.Unsustained = promisable, unsustained
}

// breakPledges breaks the promises that the whole healthy nodes have fallen below.
func (p *Partition) breakPledges(island int) {
	whole := 0
	for _, i := range p.Islands {
		whole += i.whole + i.planned // planned work asks before it takes what is promised
	}
	p.Islands[island].Pledges.fall(p.Islands[island].whole + p.Islands[island].planned)
	p.Pledges.fall(whole)
	p.LongPledges.fall(whole)
}

// Judge brings the record of promises of every partition up to a moment, before a
// policy changes.
func (s *State) Judge(at Instant) {
	for _, p := range s.Partitions {
		p.pledge(at)
	}
}

// Realised is the record of a partition's promises over 24 hours and 28 days, and of
// its islands' own shares over 24 hours, brought up to a moment. It changes nothing.
func (p *Partition) Realised(now Instant) (short, long Pledges, islands []Pledges) {
	c := &Partition{
		ID: p.ID, Cluster: p.Cluster, state: p.state, Islands: clonePointers(p.Islands),
		Promise: Promise{Promisable: p.Promisable, Unsustained: p.Unsustained, Pledges: p.Pledges.clone(), LongPledges: p.LongPledges.clone()},
	}
	for _, i := range c.Islands {
		i.Pledges = i.Pledges.clone()
	}
	c.pledge(now)
	for _, i := range c.Islands {
		islands = append(islands, i.Pledges)
	}
	return c.Pledges, c.LongPledges, islands
}
