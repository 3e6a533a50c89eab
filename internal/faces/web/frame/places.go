package frame

import (
	"context"
	"slices"
	"sync"
)

// places are those at which pages are made. Pages have them in the order of coming.
type places struct {
	most int

	mu    sync.Mutex
	taken int
	line  []chan struct{} // closed once their places are there
}

// take waits for a place; it is false if ctx ends first.
func (p *places) take(ctx context.Context) bool {
	turn := p.join()
	select {
	case <-turn:
		return true
	case <-ctx.Done():
	}
	p.mu.Lock()
	i := slices.Index(p.line, turn)
	if i >= 0 {
		p.line = slices.Delete(p.line, i, i+1)
	}
	p.mu.Unlock()
	if i < 0 {
		p.give() // it came in the same moment
	}
	return false
}

// join is a turn in the line.
func (p *places) join() (turn chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	turn = make(chan struct{})
	p.line = append(p.line, turn)
	p.advance()
	return turn
}

// advance gives free places to those who wait. The places are locked.
func (p *places) advance() {
	for p.taken < p.most && len(p.line) > 0 {
		close(p.line[0])
		p.line = p.line[1:]
		p.taken++
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
	lent int // questions of the page that have lent it
	left bool
}

// lend gives the place to another page until back is called.
func (o *place) lend() (back func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lent++; o.lent == 1 && !o.left {
		o.of.give()
	}
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.lent--; o.lent == 0 && !o.left {
			o.of.back()
		}
	}
}

// leave gives the place back for good.
func (o *place) leave() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.left = true; o.lent == 0 {
		o.of.give()
	}
}
