package leadership

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/postgres"
)

// Lease is how long a lease holds without being renewed.
const Lease = 2 * time.Second

// Leadership is a server's part in who leads.
type Leadership struct {
	j       *postgres.Journal // nil: the journal is this server's alone, which always leads
	holder  string            // unlike any other server's
	address string            // where clients reach this server

	until  atomic.Pointer[time.Time] // until then this server may decide, by its own clock
	leads  chan struct{}             // closed once it leads
	leader atomic.Pointer[postgres.Lease]
}

// New is the part of a server that clients reach at an address, and that has the journal.
func New(j journal.Journal, address string) *Leadership {
	l := &Leadership{address: address, leads: make(chan struct{})}
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

// Claim tries to lead. A lease begins, by this server's clock, before the database was asked.
func (l *Leadership) Claim(ctx context.Context) (ok bool, err error) {
	began := time.Now()
	is, ok, err := l.j.Claim(ctx, l.holder, l.address, Lease)
	if err != nil {
		return false, err
	}
	l.leader.Store(&is)
	if ok {
		l.Renewed(began)
	}
	return ok, nil
}

// margin is how much earlier than the database this server takes its lease for ended.
const margin = Lease / 10

// Renewed says that the lease was asked for at a moment, and given.
func (l *Leadership) Renewed(began time.Time) {
	end := began.Add(Lease - margin)
	l.until.Store(&end)
}

// May says why this server may not decide now.
func (l *Leadership) May() error {
	if l.j == nil {
		return nil
	}
	if until := l.until.Load(); until == nil || time.Now().After(*until) {
		return errors.New("the lease of this server has run out and could not be renewed")
	}
	return nil
}

// Started says whether this server leads, or has led until a moment ago.
func (l *Leadership) Started() bool {
	select {
	case <-l.leads:
		return true
	default:
		return false
	}
}

// Keep renews the lease until ctx ends. It returns journal.ErrDeposed once another server leads.
func (l *Leadership) Keep(ctx context.Context) error {
	tick := time.NewTicker(Lease / 4)
	defer tick.Stop()
	for {
		began := time.Now()
		brief, stop := context.WithTimeout(ctx, Lease/2)
		err := l.j.Renew(brief, Lease)
		stop()
		switch {
		case errors.Is(err, journal.ErrDeposed):
			return err
		case err == nil:
			l.Renewed(began)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Await returns once this server leads. Until then it knows who does.
func (l *Leadership) Await(ctx context.Context) error {
	for {
		brief, stop := context.WithTimeout(ctx, Lease)
		ok, err := l.Claim(brief)
		stop()
		if ok {
			return nil
		}
		if err != nil && !errors.Is(err, journal.ErrUnavailable) && ctx.Err() == nil && !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		wait := Lease / 8
		if is := l.leader.Load(); err == nil && is != nil {
			wait = min(Lease/4, max(is.Left, Lease/40)) // its end is not missed
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

// Shared says whether there is a lease: else the journal is this server's alone, which always leads.
func (l *Leadership) Shared() bool { return l.j != nil }

// Journal is the name of the journal that the servers share; "" where there is none.
func (l *Leadership) Journal() string {
	if l == nil || l.j == nil {
		return ""
	}
	return l.j.Name()
}

// Holder names this server as no other is named.
func (l *Leadership) Holder() string { return l.holder }

// Address is where clients reach this server.
func (l *Leadership) Address() string { return l.address }

// Begin says that this server leads from now on.
func (l *Leadership) Begin() { close(l.leads) }

// Leads is closed once this server leads.
func (l *Leadership) Leads() <-chan struct{} { return l.leads }

// Leader is who leads as far as this server knows; nil: it knows of none.
func (l *Leadership) Leader() *postgres.Lease { return l.leader.Load() }

// Term is in which term this server leads; 0: it does not, or needs no lease.
func (l *Leadership) Term() int64 {
	if l == nil || l.j == nil || !l.Started() {
		return 0
	}
	return l.leader.Load().Term
}

// Resign lets another server lead at once.
func (l *Leadership) Resign() {
	if l == nil || l.j == nil || !l.Started() {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	_ = l.j.Resign(ctx) // else the lease ends by itself
}

// AgainAfter is how long a server waits before it begins again.
const AgainAfter = Lease / 8

// BeginsAgain says whether a server that has ended is to begin again: as one that follows, with
// the records that its database still has, or once the database is back.
func BeginsAgain(err error, ran bool) bool {
	return errors.Is(err, journal.ErrDeposed) || errors.Is(err, journal.ErrForgotten) || ran && errors.Is(err, journal.ErrUnavailable)
}
