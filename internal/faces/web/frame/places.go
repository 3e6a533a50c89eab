package frame

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/run/gate"
)

// places are those at which pages are made. Pages that a reader opens have them before those that
// are open and ask for what has changed: no reader sees how long the latter wait. Among each kind it
// is the order of coming.
type places struct {
	most int

	mu    sync.Mutex
	taken int
	lines [2][]chan struct{} // of pages that are opened, and that are renewed; closed once their places are there
}

// The lines.
const (
	opened = iota
	renewed
)

// take waits for a place in a line; it is false if ctx ends first.
func (p *places) take(ctx context.Context, line int) bool {
	turn := p.join(line)
	select {
	case <-turn:
		return true
	case <-ctx.Done():
	}
	if !p.left(line, turn) {
		p.give() // it came in the same moment
	}
	return false
}

// left takes a turn out of its line; false: its place is there already.
func (p *places) left(line int, turn chan struct{}) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.lines[line], turn)
	if i < 0 {
		return false
	}
	p.lines[line] = slices.Delete(p.lines[line], i, i+1)
	return true
}

// join is a turn in a line.
func (p *places) join(line int) (turn chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	turn = make(chan struct{})
	p.lines[line] = append(p.lines[line], turn)
	p.advance()
	return turn
}

// advance gives free places to those who wait. The places are locked.
func (p *places) advance() {
	for i := range p.lines {
		for line := &p.lines[i]; p.taken < p.most && len(*line) > 0; *line = (*line)[1:] {
			close((*line)[0])
			p.taken++
		}
	}
}

// give gives a place back.
func (p *places) give() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken--
	p.advance()
}

// back takes a place again that was lent. It does not wait: who has it may wait for what this
// page makes. The next one waits until there are fewer than there may be.
func (p *places) back() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken++
}

// place is one page's. While the page waits for something, or for an answer that the API bounds
// by itself, another page has it: a reader whose questions wait for their turn holds up no other.
type place struct {
	of *places

	mu   sync.Mutex
	lent int           // questions of the page that have lent it
	away time.Duration // how long a processor worked meanwhile
	left bool
}

// lend gives the place to another page until back is called, on the same goroutine.
func (o *place) lend() (back func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	worked := func() time.Duration { return 0 } // the question around this one counts it
	if o.lent++; o.lent == 1 && !o.left {
		worked = gate.Busy()
		o.of.give()
	}
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.away += worked()
		if o.lent--; o.lent == 0 && !o.left {
			o.of.back()
		}
	}
}

// leave gives the place back for good, and says how long a processor worked while it was lent.
func (o *place) leave() (away time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.left = true; o.lent == 0 {
		o.of.give()
	}
	return o.away
}
