package server

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// drives says why this server may write nothing to clusters now: what it was to carry out may be
// wrong by now, as another server may lead already.
func (s *server) drives(*http.Request) error {
	if s.leadership == nil {
		return nil
	}
	return s.leadership.May()
}

// elect keeps this server's part until ctx ends: it follows until it can lead, and then leads.
func (s *server) elect(ctx context.Context) error {
	l := s.leadership
	if !l.Shared() {
		return nil
	}
	if !l.Started() {
		if err := l.Await(ctx); err != nil {
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
	return l.Keep(ctx)
}

// takeOverKept takes over while the lease is renewed. It ends once another server leads, however
// long the database takes to answer.
func (s *server) takeOverKept(ctx context.Context) error {
	renewing, stop := context.WithCancelCause(ctx)
	kept := make(chan error, 1)
	go func() {
		err := s.leadership.Keep(renewing)
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
	if err := s.sharing.Sync(ctx); err != nil {
		return err
	}
	if err := s.firstFleet(ctx); err != nil {
		return err
	}
	if err := s.startCluster(ctx); err != nil {
		return err
	}
	s.leadership.Begin()
	return nil
}

// leading lets a part run once this server leads.
func (s *server) leading(part func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			return nil
		case <-s.leadership.Leads():
			return part(ctx)
		}
	}
}
