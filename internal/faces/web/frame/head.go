package web

import (
	"context"
	"sync"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// headLasts is how old what the head of a page says may be: no page waits for a
// head that is younger, and an older one is asked for anew beside the page.
const (
	headLasts = time.Second
	headEnds  = 10 * time.Second
)

// heads keeps what the heads of pages say, reader by reader.
type heads struct {
	mu   sync.Mutex
	kept map[browser]*head
}

// head is what every page says of the server and of its reader.
type head struct {
	status *musterv1.StatusResponse
	stale  []string
	modes  map[string]string // of the clusters
	at     time.Time
	asking bool
}

// of is the head for a reader. Who is not known is asked for each time.
func (h *heads) of(v *visit) (head, error) {
	who := browser{host: v.r.Host, token: v.self.token}
	h.mu.Lock()
	k := h.kept[who]
	age := headEnds
	if k != nil {
		age = time.Since(k.at)
	}
	switch {
	case age < headLasts, age < headEnds && k.asking:
		defer h.mu.Unlock()
		return *k, nil
	case age < headEnds:
		k.asking = true
		defer h.mu.Unlock()
		ctx := context.WithoutCancel(v.ctx)
		go func() { _, _ = h.ask(ctx, v, who) }() // the page that asks next learns of what went wrong
		return *k, nil
	}
	h.mu.Unlock()
	return h.ask(v.ctx, v, who)
}

func (h *heads) ask(ctx context.Context, v *visit, who browser) (head, error) {
	fresh := head{at: time.Now()}
	var err error
	if fresh.status, err = v.System.Status(ctx, &musterv1.StatusRequest{WithoutWorkloads: true}); err == nil {
		var c *musterv1.CapacityResponse
		if c, err = v.Capacity.Capacity(ctx, &musterv1.CapacityRequest{WithoutIslands: true}); err == nil {
			fresh.modes = map[string]string{}
			for _, one := range c.GetClusters() {
				fresh.modes[one.GetCluster()] = one.GetMode()
				if one.GetStale() {
					fresh.stale = append(fresh.stale, one.GetCluster())
				}
			}
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil {
		delete(h.kept, who)
		return head{}, err
	}
	if h.kept == nil || len(h.kept) > 1000 {
		h.kept = map[browser]*head{}
	}
	h.kept[who] = &fresh
	return fresh, nil
}

// forget lets the next page ask anew: its reader has changed something.
func (h *heads) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.kept)
}
