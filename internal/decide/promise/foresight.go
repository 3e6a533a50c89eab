package promise

import (
	"slices"

	"github.com/muster-fleet/muster/internal/decide/promise/buffer"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file forecasts, for the policies that learn, how many nodes may go
// down: for each island, and for all islands of a partition that one policy
// governs together. A forecast rests on full hours only: within an hour it is the
// same, and what changes is the number of nodes down.

// ahead is what may become of a pool within each horizon.
type ahead struct{ short, long buffer.Outlook }

// foretold is what was forecast for an hour. It is never changed once made.
type foretold struct {
	key     key
	islands []ahead
	groups  []ahead // in the order of groupsOf
}

// memory is what promise remembers of a partition: what it has learned, what it last made
// of that, which copies of the state may share, and what it knows of its running work.
type memory struct {
	learned  *scholar
	foretold *foretold
	work     map[*fleet.Account]*accountWork
	spare    *aligner // whose room the next alignment uses again
}

// Fork keeps the forecast alone.
func (m *memory) Fork() fleet.Memory { return &memory{foretold: m.foretold} }

func memoryOf(p *fleet.Partition) *memory {
	m, _ := p.Memories.Promise.(*memory)
	if m == nil {
		m = &memory{}
		p.Memories.Promise = m
	}
	return m
}

// key is all that a forecast rests on, given the islands' past.
type key struct {
	hour, since fleet.Hour
	buffers     []fleet.Buffer // of each island
	nodes       []int          // of each island
}

func (k key) equal(o key) bool {
	return k.hour == o.hour && slices.Equal(k.nodes, o.nodes) && k.grown(o)
}

// grown says whether o is k some hours later, or with more nodes.
func (k key) grown(o key) bool { return k.since == o.since && slices.Equal(k.buffers, o.buffers) }

// forecast is what the past up to now says of each island and group.
func forecast(s *fleet.State, p *fleet.Partition, now fleet.Instant) *foretold {
	k := key{hour: fleet.HourOf(now), since: p.PastSince}
	for i, island := range p.Islands {
		k.buffers, k.nodes = append(k.buffers, s.BufferFor(p, i)), append(k.nodes, len(island.Nodes()))
	}
	m := memoryOf(p)
	if last := m.foretold; last != nil {
		if s.LearningStopped() {
			k.hour = last.key.hour
		}
		if last.key.equal(k) {
			return last
		}
	}
	learned := m.learned
	if learned == nil || !learned.key.grown(k) || learned.next > k.hour {
		learned = newScholar(p, k)
		m.learned = learned
	}
	learned.learn(p, k.hour)
	m.foretold = learned.foretell(k)
	return m.foretold
}

// groupsOf lists the islands that each policy that learns governs, in the order
// of their first islands.
func groupsOf(buffers []fleet.Buffer) [][]int {
	var groups [][]int
	for i, b := range buffers {
		if !b.Learns() {
			continue
		}
		at := slices.IndexFunc(groups, func(g []int) bool { return buffers[g[0]] == b })
		if at < 0 {
			at = len(groups)
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], i)
	}
	return groups
}

// scholar has read the past of a partition up to an hour. What it knows follows
// from the past alone, however often it was asked on the way.
type scholar struct {
	key     key
	next    fleet.Hour
	read    []int // spells of each island that are read
	islands []pool
	groups  []pool
	faults  float64
	days    float64 // of nodes
}

// pool is what is learned of an island or a group; without a policy that learns, nothing.
type pool struct {
	islands     []int
	racks       int
	short, long buffer.Forecast
}

func newPool(p *fleet.Partition, b fleet.Buffer, islands ...int) pool {
	q := pool{islands: islands}
	for _, i := range islands {
		q.racks += failureDomains(p.Islands[i].Racks)
	}
	kind, prior := string(b.Kind), buffer.Prior{Racks: q.racks}
	q.short, q.long = buffer.New(kind, claimOf(b, fleet.PromisableHours), prior), buffer.New(kind, claimOf(b, fleet.SustainableHours), prior)
	return q
}

func newScholar(p *fleet.Partition, k key) *scholar {
	l := &scholar{key: k, next: k.since, read: make([]int, len(p.Islands)), islands: make([]pool, len(p.Islands))}
	for i, b := range k.buffers {
		if b.Learns() {
			l.islands[i] = newPool(p, b, i)
		}
	}
	for _, g := range groupsOf(k.buffers) {
		l.groups = append(l.groups, newPool(p, k.buffers[g[0]], g...))
	}
	return l
}

// learn reads the full hours before one.
func (l *scholar) learn(p *fleet.Partition, until fleet.Hour) {
	hours := make([]buffer.Hour, len(p.Islands))
	for ; l.next < until; l.next++ {
		if (l.next-l.key.since)%24 == 0 && l.next > l.key.since {
			l.believe(buffer.FleetRate(l.faults, l.days))
		}
		for i, island := range p.Islands {
			hours[i] = l.hour(i, island.Past)
			l.faults += float64(hours[i].Peak - hours[i].Level)
			l.days += float64(hours[i].Nodes) / 24
		}
		for i := range l.islands {
			l.islands[i].learn(hours)
		}
		for i := range l.groups {
			l.groups[i].learn(hours)
		}
	}
}

// hour reads the next hour of an island.
func (l *scholar) hour(i int, past fleet.Past) buffer.Hour {
	var h buffer.Hour
	at := l.read[i]
	if at > 0 {
		h = buffer.Hour{Nodes: past[at-1].Nodes, Level: past[at-1].Down, Peak: past[at-1].Down}
	}
	if at < len(past) && past[at].Hour == l.next {
		h.Nodes, h.Peak = past[at].Nodes, max(h.Peak, past[at].Peak)
		l.read[i]++
	}
	return h
}

// believe tells every pool how often nodes of the whole partition have failed.
func (l *scholar) believe(rate float64) {
	for _, list := range [][]pool{l.islands, l.groups} {
		for _, q := range list {
			if q.short != nil {
				prior := buffer.Prior{Rate: rate, Racks: q.racks}
				q.short.Believe(prior)
				q.long.Believe(prior)
			}
		}
	}
}

// learn takes an hour of all islands. Peaks of one hour are added as if they had
// come at the same moment.
func (q pool) learn(hours []buffer.Hour) {
	if q.short == nil {
		return
	}
	var sum buffer.Hour
	for _, i := range q.islands {
		sum.Nodes, sum.Level, sum.Peak = sum.Nodes+hours[i].Nodes, sum.Level+hours[i].Level, sum.Peak+hours[i].Peak
	}
	if sum.Nodes == 0 {
		return // not there yet
	}
	q.short.Learn(sum)
	q.long.Learn(sum)
}

func (l *scholar) foretell(k key) *foretold {
	f := &foretold{key: k, islands: make([]ahead, len(l.islands)), groups: make([]ahead, len(l.groups))}
	for i, q := range l.islands {
		f.islands[i] = q.ahead(k.nodes)
	}
	for i, q := range l.groups {
		f.groups[i] = q.ahead(k.nodes)
	}
	return f
}

func (q pool) ahead(nodes []int) ahead {
	if q.short == nil {
		return ahead{}
	}
	n := 0
	for _, i := range q.islands {
		n += nodes[i]
	}
	return ahead{q.short.Ahead(n), q.long.Ahead(n)}
}
