package api

import (
	"strings"
	"sync"
)

// newcomers are the tokens and places that were seen already, so that the first use of a
// token from a place is noted and the thousandth is not.
type newcomers struct {
	mu    sync.Mutex
	known map[string]bool
}

// mostNewcomers bounds what is remembered; beyond it, all count as new again.
const mostNewcomers = 10_000

// seen says whether the caller's token comes from this place for the first time.
func (n *newcomers) seen(c *caller) bool {
	if c.token == "" {
		return false
	}
	place := c.source
	if at := strings.LastIndexByte(place, ':'); at > 0 && !strings.HasPrefix(place, "unix:") {
		place = place[:at] // the port is another one with each connection
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	name := c.token + " " + place
	if n.known[name] {
		return false
	}
	if n.known == nil || len(n.known) >= mostNewcomers {
		n.known = map[string]bool{}
	}
	n.known[name] = true
	return true
}
