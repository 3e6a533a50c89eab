package simulated

import (
	"context"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/run/executor"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Options say how simulated work goes.
type Options struct {
	Now    func() fleet.Instant
	Seed   uint64
	Spread fleet.Permille // each update takes what it says, up to so much more or less
	Fails  fleet.Permille // so many of the orders fail
}

// Hands carry out updates. Their methods may be called from several goroutines.
type Hands struct {
	o Options

	mu    sync.Mutex
	ends  map[string]fleet.Instant // orders that have begun, by ID
	begun map[string]int
}

var _ executor.Executor = (*Hands)(nil)

// New makes hands that have done nothing yet.
func New(o Options) *Hands {
	return &Hands{o: o, ends: map[string]fleet.Instant{}, begun: map[string]int{}}
}

// Find looks an order up.
func (h *Hands) Find(_ context.Context, o executor.Order) (executor.Report, bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, found := h.ends[o.ID]
	return h.report(o), found, nil
}

// Begin begins an order. It ends as if it had begun when the visit came to it, so that hands
// which forgot it with their process end it at the same moment.
func (h *Hands) Begin(_ context.Context, o executor.Order) (executor.Report, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.begun[o.ID]++
	if _, found := h.ends[o.ID]; !found {
		h.ends[o.ID] = o.Begins.Add(h.takes(o))
	}
	return h.report(o), nil
}

func (h *Hands) report(o executor.Order) executor.Report {
	switch ends := h.ends[o.ID]; {
	case h.o.Now() < ends:
		return executor.Report{State: executor.Running, Again: ends}
	case h.draw("fails", o.ID).IntN(1000) < int(h.o.Fails):
		return executor.Report{State: executor.Failed, Why: "the simulated work failed"}
	default:
		return executor.Report{State: executor.Done, Runs: []fleet.Component{o.Update.Component}}
	}
}

func (h *Hands) takes(o executor.Order) time.Duration {
	if h.o.Spread == 0 {
		return o.Update.Lasts
	}
	off := h.draw("takes", o.ID).IntN(2*int(h.o.Spread)+1) - int(h.o.Spread)
	return o.Update.Lasts + o.Update.Lasts/1000*time.Duration(off)
}

// draw is the random numbers of one question about one order.
func (h *Hands) draw(question, id string) *rand.Rand {
	f := fnv.New64a()
	_, _ = f.Write([]byte(question + " " + id))
	return rand.New(rand.NewPCG(h.o.Seed, f.Sum64()))
}

// Begun is how often each order was begun, by ID.
func (h *Hands) Begun() map[string]int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return maps.Clone(h.begun)
}
