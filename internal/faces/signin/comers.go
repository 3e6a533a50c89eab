package signin

import (
	"sync"
	"time"
)

// What browsers of one address may have that come back from the provider: nothing proves who they are until it was asked.
const (
	mostOfAddress = 4 // codes that are exchanged at a time
	failedRate    = 5 // exchanges that fail, a second and saved up
	failedBurst   = 100
	mostComers    = 10_000 // addresses that are remembered
)

// comers are the browsers that come back, by address.
type comers struct {
	mu sync.Mutex
	of map[string]*comer
}

type comer struct {
	now  int     // codes that are exchanged
	left float64 // exchanges that may fail
	at   time.Time
}

// enter counts a browser that comes back until leave says how that went; false: too many of the address are there, or have failed.
func (c *comers) enter(address string, now time.Time) (leave func(failed bool), ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.of[address]
	if one == nil {
		c.forget()
		one = &comer{left: failedBurst, at: now}
		c.of[address] = one
	}
	one.left, one.at = min(failedBurst, one.left+failedRate*now.Sub(one.at).Seconds()), now
	if one.now >= mostOfAddress || one.left < 1 {
		return nil, false
	}
	one.now++
	return func(failed bool) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if one.now--; failed {
			one.left--
		}
	}, true
}

// forget makes room for one more address. It is locked.
func (c *comers) forget() {
	if c.of == nil {
		c.of = map[string]*comer{}
	}
	for address, one := range c.of {
		if len(c.of) < mostComers {
			return
		}
		if one.now == 0 {
			delete(c.of, address)
		}
	}
}
