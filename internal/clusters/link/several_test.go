package link

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"
)

// second is another server of the same fleet: it has the same authority.
func (h *house) second() *house {
	return newHouseWith(h.t, func(*Authority) (*Trust, error) { return h.authority.Trust() })
}

// status asks a cluster and says how that was answered.
func (h *house) status(cluster string) int {
	r, _ := http.NewRequestWithContext(h.ctx, http.MethodGet, "http://"+cluster+"/livez", nil)
	res, err := h.hub.Way(cluster).RoundTrip(r)
	if err != nil {
		return 0
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode
}

// An agent has a line to each server, and answers none whose term is over: not even before the
// new leader has asked anything.
func TestAnAgentObeysTheNewestLeaderAlone(t *testing.T) {
	first := newHouse(t)
	second := first.second()
	var terms [2]atomic.Int64
	first.hub.Term, second.hub.Term = terms[0].Load, terms[1].Load
	first.agent(first.address+","+second.address, first.enrol("tiger"), "tiger", says("here"))
	for _, h := range []*house{first, second} {
		h.until("the agent has a line to both", func() bool { return h.hub.Connected("tiger") == 1 })
	}
	terms[0].Store(4)
	if got := first.status("tiger"); got != http.StatusOK {
		t.Fatalf("the first leader is answered with %d", got)
	}
	terms[1].Store(5)
	second.hub.Lead(t.Context())
	if got := first.status("tiger"); got != http.StatusPreconditionFailed {
		t.Errorf("the server whose term is over is answered with %d", got)
	}
	if got := second.status("tiger"); got != http.StatusOK {
		t.Errorf("the new leader is answered with %d", got)
	}
}

// A server that goes away again and again, as one does whose machine is upgraded, is dialled soon each
// time: after a line that was good the agent waits no longer than after the first.
func TestAfterAGoodLineAnAgentDialsAsSoonAsAtFirst(t *testing.T) {
	var waits pauses
	for _, want := range []time.Duration{waitLeast, 2 * waitLeast, 4 * waitLeast} {
		if got := waits.after(false); got != want {
			t.Errorf("without a line it waits %v, want %v", got, want)
		}
	}
	if got := waits.after(true); got != waitLeast {
		t.Errorf("after a good line it waits %v, want %v", got, waitLeast)
	}
	for range 20 {
		waits.after(false)
	}
	if got := waits.after(false); got != waitMost {
		t.Errorf("it waits %v at most, want %v", got, waitMost)
	}
}

// An agent with one address dials until it has found the server that leads.
func TestAnAgentWithOneAddressIsSentOn(t *testing.T) {
	h := newHouse(t)
	var follows atomic.Bool
	var refused atomic.Int64
	follows.Store(true)
	h.hub.Check = func(is Hello) error {
		if follows.Load() && !is.Several {
			if refused.Add(1) > 3 { // far sooner than an agent that is not wanted
				follows.Store(false)
			}
			return ErrFollows
		}
		return nil
	}
	h.agent(h.address, h.enrol("tiger"), "tiger", says("here"))
	h.until("the agent is there", func() bool { return h.hub.Connected("tiger") == 1 })
	if _, err := h.ask("tiger"); errors.Is(err, ErrAbsent) {
		t.Error(err)
	}
}
