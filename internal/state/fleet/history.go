package fleet

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// This file keeps what buffer policies learn from: how many nodes of each island
// were down, hour by hour, for about a year (semantics §2).

// PastHours is how much of the past a partition keeps: when it has more than most,
// it lets go of all but least. Cut so seldom, and in all islands at once, what is
// learned from it follows from the state alone and need not be learned anew each hour.
const (
	leastPast = 365 * 24
	mostPast  = 400 * 24
)

// Hour counts full hours since 1970.
type Hour int64

// HourOf is the hour that a moment lies in.
func HourOf(at Instant) Hour { return Hour(at / Instant(time.Hour)) }

// Begins is the hour's first moment.
func (h Hour) Begins() Instant { return Instant(h) * Instant(time.Hour) }

// Spell is an hour in which something changed, and what was so from its end on.
type Spell struct {
	Hour  Hour
	Peak  int // most nodes down at one moment of the hour
	Down  int // nodes down when it ended
	Nodes int // nodes of the island when it ended
}

// Past is an island's past, oldest first. Between two spells nothing changed. In
// JSON it is one list of numbers, four of each spell.
type Past []Spell

// MarshalJSON is part of json.Marshaler.
func (p Past) MarshalJSON() ([]byte, error) {
	flat := make([]int64, 0, 4*len(p))
	for _, s := range p {
		flat = append(flat, int64(s.Hour), int64(s.Peak), int64(s.Down), int64(s.Nodes))
	}
	return json.Marshal(flat)
}

// UnmarshalJSON is part of json.Unmarshaler.
func (p *Past) UnmarshalJSON(data []byte) error {
	var flat []int64
	if err := json.Unmarshal(data, &flat); err != nil {
		return err
	}
	if len(flat)%4 != 0 {
		return fmt.Errorf("an island's past has %d numbers; each spell has four", len(flat))
	}
	*p = nil
	for f := range slices.Chunk(flat, 4) {
		*p = append(*p, Spell{Hour(f[0]), int(f[1]), int(f[2]), int(f[3])})
	}
	return nil
}

// note keeps that so many of an island's nodes are down from a moment on.
func (p Past) note(at Instant, down, nodes int) Past {
	hour := HourOf(at)
	if len(p) == 0 {
		return append(p, Spell{hour, down, down, nodes})
	}
	last := &p[len(p)-1]
	switch {
	case last.Hour == hour:
		last.Peak, last.Down, last.Nodes = max(last.Peak, down), down, nodes
	case last.Down != down || last.Nodes != nodes:
		p = append(p, Spell{hour, max(last.Down, down), down, nodes})
	}
	return p
}

// since drops what was before an hour, and keeps what was so when it began.
func (p Past) since(hour Hour) Past {
	from := 0
	for from+1 < len(p) && p[from+1].Hour <= hour {
		from++
	}
	p = slices.Clone(p[from:])
	if len(p) > 0 && p[0].Hour < hour {
		p[0].Hour, p[0].Peak = hour, p[0].Down
	}
	return p
}

// remember keeps how many of an island's nodes are down from a moment on.
func (p *Partition) remember(island int, at Instant) {
	hour := HourOf(at)
	if p.PastSince == 0 {
		p.PastSince = hour
	}
	if hour-p.PastSince > mostPast {
		p.PastSince = hour - leastPast
		for _, i := range p.Islands {
			i.Past = i.Past.since(p.PastSince)
		}
	}
	i := p.Islands[island]
	i.Past = i.Past.note(at, len(i.nodes)-i.whole-i.planned, len(i.nodes)) // planned work is no failure
}
