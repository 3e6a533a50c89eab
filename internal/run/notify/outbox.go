package notify

import (
	"sync"
	"time"
)

// What one outbox keeps at most, and for how long a notice that says just what
// another said is not sent again.
const (
	outboxSize = 1000
	sameFor    = 10 * time.Minute
)

// outbox is what one subscription has still to get, oldest first.
type outbox struct {
	mu      sync.Mutex
	waiting []Notice
	said    map[string]time.Time // texts by when they were put in last
	wake    chan struct{}
	status  Status
}

// Status is how a subscription stands.
type Status struct {
	Delivered uint64    // notices since the server started
	Waiting   int       // notices still to be sent
	Doubles   uint64    // notices left out because the same had just been said
	Dropped   uint64    // notices given up: too many, or no answer for a day
	Last      time.Time // when the last one was delivered
	Failing   time.Time // since when calls fail; zero: they do not
	Error     string    // of the last call, "" if it went well
	Cursor    uint64    // every record up to this one has been dealt with
}

func newOutbox(cursor uint64) *outbox {
	return &outbox{said: map[string]time.Time{}, wake: make(chan struct{}, 1), status: Status{Cursor: cursor}}
}

// put takes a notice in, unless the same was said a moment ago.
func (o *outbox) put(n Notice) {
	o.mu.Lock()
	defer o.mu.Unlock()
	at := n.At.Time()
	if last, ok := o.said[n.Text]; ok && at.Sub(last) < sameFor {
		o.status.Doubles++
		return
	}
	o.said[n.Text] = at
	o.forget(at)
	if o.waiting = append(o.waiting, n); len(o.waiting) > outboxSize {
		o.waiting = o.waiting[1:]
		o.status.Dropped++
	}
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// forget keeps what was said from growing without end.
func (o *outbox) forget(now time.Time) {
	if len(o.said) < 4*outboxSize {
		return
	}
	for text, at := range o.said {
		if now.Sub(at) >= sameFor {
			delete(o.said, text)
		}
	}
}

// seen says that a record has been read; with nothing waiting it has been dealt with.
func (o *outbox) seen(seq uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.waiting) == 0 {
		o.status.Cursor = max(o.status.Cursor, seq)
	}
}

// first is the oldest notice that waits.
func (o *outbox) first() (Notice, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.waiting) == 0 {
		return Notice{}, false
	}
	return o.waiting[0], true
}

// done takes a notice out, delivered or given up.
func (o *outbox) done(n Notice, delivered bool, now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.waiting) > 0 && o.waiting[0].ID == n.ID {
		o.waiting = o.waiting[1:]
	}
	if delivered {
		o.status.Delivered++
		o.status.Last, o.status.Failing, o.status.Error = now, time.Time{}, ""
	} else {
		o.status.Dropped++
	}
	if len(o.waiting) == 0 || o.waiting[0].Version > n.Version {
		o.status.Cursor = max(o.status.Cursor, n.Version)
	}
}

func (o *outbox) failed(err error, now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.status.Failing.IsZero() {
		o.status.Failing = now
	}
	o.status.Error = err.Error()
}

func (o *outbox) now() Status {
	o.mu.Lock()
	defer o.mu.Unlock()
	st := o.status
	st.Waiting = len(o.waiting)
	return st
}
