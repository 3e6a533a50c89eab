package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/postgres"
)

// Of several servers on one database one leads: it has the lease, decides, and drives the
// clusters. The others follow its log, answer reads, and send writes to it.

// leaseLength is how long a lease holds without being renewed.
const leaseLength = 2 * time.Second

// leadership is a server's part in that.
type leadership struct {
	j       *postgres.Journal // nil: the journal is this server's alone, which always leads
	holder  string            // unlike any other server's
	address string            // where clients reach this server

	until  atomic.Pointer[time.Time] // until then this server may decide, by its own clock
	leads  chan struct{}             // closed once it leads
	leader atomic.Pointer[postgres.Lease]
}

func newLeadership(j journal.Journal, address string) *leadership {
	l := &leadership{address: address, leads: make(chan struct{})}
	var ok bool
	if l.j, ok = j.(*postgres.Journal); !ok {
		close(l.leads)
		return l
	}
	host, _ := os.Hostname()
	var b [6]byte
	_, _ = rand.Read(b[:])
	l.holder = fmt.Sprintf("%s/%d/%s", host, os.Getpid(), hex.EncodeToString(b[:]))
	return l
}

// claim tries to lead. A lease begins, by this server's clock, before the database was asked.
func (l *leadership) claim(ctx context.Context) (ok bool, err error) {
	began := time.Now()
	is, ok, err := l.j.Claim(ctx, l.holder, l.address, leaseLength)
	if err != nil {
		return false, err
	}
	l.leader.Store(&is)
	if ok {
		l.holdUntil(began)
	}
	return ok, nil
}

// margin is how much earlier than the database this server takes its lease for ended.
const margin = leaseLength / 10

func (l *leadership) holdUntil(began time.Time) {
	end := began.Add(leaseLength - margin)
	l.until.Store(&end)
}

// may says why this server may not decide now.
func (l *leadership) may() error {
	if l.j == nil {
		return nil
	}
	if until := l.until.Load(); until == nil || time.Now().After(*until) {
		return errors.New("the lease of this server has run out and could not be renewed")
	}
	return nil
}

// drives says why this server may write nothing to clusters now: what it was to carry out may be
// wrong by now, as another server may lead already.
func (s *server) drives(*http.Request) error {
	if s.leadership == nil {
		return nil
	}
	return s.leadership.may()
}

// started says whether this server leads, or has led until a moment ago.
func (l *leadership) started() bool {
	select {
	case <-l.leads:
		return true
	default:
		return false
	}
}

// term is in which term this server leads; 0: it does not.
func (s *server) term() int64 {
	l := s.leadership
	if l == nil || l.j == nil || !l.started() {
		return 0
	}
	return l.leader.Load().Term
}

// keep renews the lease until ctx ends. It returns journal.ErrDeposed once another server leads.
func (l *leadership) keep(ctx context.Context) error {
	tick := time.NewTicker(leaseLength / 4)
	defer tick.Stop()
	for {
		began := time.Now()
		brief, stop := context.WithTimeout(ctx, leaseLength/2)
		err := l.j.Renew(brief, leaseLength)
		stop()
		switch {
		case errors.Is(err, journal.ErrDeposed):
			return err
		case err == nil:
			l.holdUntil(began)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// await returns once this server leads. Until then it knows who does.
func (l *leadership) await(ctx context.Context) error {
	for {
		brief, stop := context.WithTimeout(ctx, leaseLength)
		ok, err := l.claim(brief)
		stop()
		if ok {
			return nil
		}
		if err != nil && !errors.Is(err, journal.ErrUnavailable) && ctx.Err() == nil && !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		wait := leaseLength / 8
		if is := l.leader.Load(); err == nil && is != nil {
			wait = min(leaseLength/4, max(is.Left, leaseLength/40)) // its end is not missed
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
	}
}

// elect keeps this server's part until ctx ends: it follows until it can lead, and then leads.
func (s *server) elect(ctx context.Context) error {
	l := s.leadership
	if l.j == nil {
		return nil
	}
	if !l.started() {
		if err := l.await(ctx); err != nil {
			if ctx.Err() != nil {
				return nil //nolint:nilerr // it was told to stop
			}
			return err
		}
		began := time.Now()
		if err := s.takeOverKept(ctx); err != nil {
			return err
		}
		s.line.say("This server leads now, from version %d (after %.2f s).", s.engine.Durable(), time.Since(began).Seconds())
	}
	return l.keep(ctx)
}

// takeOverKept takes over while the lease is renewed. It ends once another server leads, however
// long the database takes to answer.
func (s *server) takeOverKept(ctx context.Context) error {
	renewing, stop := context.WithCancelCause(ctx)
	kept := make(chan error, 1)
	go func() {
		err := s.leadership.keep(renewing)
		stop(err)
		kept <- err
	}()
	err := s.takeOver(renewing)
	stop(nil)
	return errors.Join(<-kept, err)
}

// takeOver makes a server that followed one that leads.
func (s *server) takeOver(ctx context.Context) error {
	if err := s.engine.Lead(ctx); err != nil {
		return err
	}
	s.records = s.engine.Durable()
	if err := s.sharing.sync(ctx); err != nil {
		return err
	}
	if err := s.firstFleet(ctx); err != nil {
		return err
	}
	if err := s.startCluster(ctx); err != nil {
		return err
	}
	close(s.leadership.leads)
	return nil
}

// leading lets a part run once this server leads.
func (s *server) leading(part func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			return nil
		case <-s.leadership.leads:
			return part(ctx)
		}
	}
}

// resign lets another server lead at once.
func (s *server) resign() {
	if l := s.leadership; l != nil && l.j != nil && l.started() {
		ctx, stop := context.WithTimeout(context.Background(), time.Second)
		defer stop()
		_ = l.j.Resign(ctx) // else the lease ends by itself
	}
}

// againAfter is how long a server waits before it begins again.
const againAfter = leaseLength / 8

// beginsAgain says whether a server that has ended is to begin again: as one that follows, with
// the records that its database still has, or once the database is back.
func beginsAgain(err error, ran bool) bool {
	return errors.Is(err, journal.ErrDeposed) || errors.Is(err, journal.ErrForgotten) || ran && errors.Is(err, journal.ErrUnavailable)
}
