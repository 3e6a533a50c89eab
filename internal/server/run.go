package server

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/cli"
	"github.com/muster-fleet/muster/internal/run/gate"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/server/leadership"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// run serves until ctx ends or something fails, and then stops everything in
// the order in which nothing is lost.
func (s *server) run(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var parts sync.WaitGroup
	for _, part := range []func(context.Context) error{
		s.hearAgents, s.leading(s.live), s.leading(s.watch), s.leading(s.notifier.Run), s.leading(s.buildOut), s.leading(s.carryOut), s.leading(s.prove), s.leading(s.trim), s.elect, s.count, s.share, s.remember, s.api.Recall, s.web.Run, s.keepRecord, s.watchPeople, s.serveSocket, s.serve,
	} {
		parts.Go(func() {
			if err := part(ctx); err != nil {
				stop(err)
			}
		})
	}
	<-ctx.Done()
	s.line.say("Stopping: calls that run are answered.")
	parts.Wait()
	err := s.engine.Close()
	s.leadership.Resign()
	err = errors.Join(err, s.closeRecord(context.WithoutCancel(ctx)), s.journal.Close())
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return blame(cause)
	}
	if err == nil {
		s.farewell()
	}
	return err
}

func (s *server) live(ctx context.Context) error {
	return s.backend.live(ctx, s.engine, s.line)
}

// hearAgents takes lines of clusters' agents.
func (s *server) hearAgents(ctx context.Context) error {
	if s.backend.reconcilers == nil {
		return nil
	}
	return s.backend.reconcilers.Listen(ctx)
}

func (s *server) serve(ctx context.Context) error {
	err := s.api.Serve(ctx, s.listener)
	s.listener = nil
	return err
}

// remember gathers the past beside the engine. If it cannot, the fleet goes on
// without: a reader who asks for the past is told why.
func (s *server) remember(ctx context.Context) error {
	if err := s.past.Run(ctx); err != nil {
		s.log.Error("the past is not gathered any more", "error", err)
	}
	return nil
}

// count follows what happens from now on, for Prometheus. It waits for a journal that cannot be
// reached for a while.
func (s *server) count(ctx context.Context) error {
	next := s.engine.Durable() + 1
	return again(ctx, func() error {
		return s.metrics.Follow(ctx, next, func(ctx context.Context, from uint64, fn func(event.Record) error) error {
			return s.engine.Watch(ctx, from, func(r event.Record) error {
				next = r.Seq + 1
				return fn(r)
			})
		})
	})
}

// again does what reads the journal again while that cannot be reached.
func again(ctx context.Context, do func() error) error {
	for {
		err := do()
		if !errors.Is(err, journal.ErrUnavailable) || ctx.Err() != nil {
			return err
		}
		gate.Pause(ctx, leadership.AgainAfter)
	}
}

// heartbeat is how often the server asks itself whether it still can write.
const heartbeat = time.Second

// firstCommand tells the log from when on no server ran, before anything else is decided.
func (s *server) firstCommand() core.Command {
	return core.StartServer{Alive: fleet.InstantOf(s.folder.Alive)}
}

// watch ends the server once its journal cannot be written any more, or is gone: the
// engine accepts nothing then, and says so to every caller. One that cannot be reached now
// is waited for.
func (s *server) watch(ctx context.Context) error {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-beat.C:
		}
		s.folder.MarkAlive(time.Now())
		_, err := s.engine.Do(ctx, core.Request{Command: core.Tick{}, Actor: core.System})
		if err == nil {
			err = s.engine.Probe(ctx)
		}
		if err != nil && ctx.Err() == nil && !passes(err) {
			return err
		}
	}
}

// passes says whether an error is about one command or one moment: the next may do.
func passes(err error) bool {
	var no *core.Refusal
	return errors.As(err, &no) || errors.Is(err, journal.ErrUnavailable)
}

// blame tells what the world around did from what Muster did.
func blame(err error) error {
	if errors.Is(err, journal.ErrDiskFull) || errors.Is(err, journal.ErrReadOnly) || errors.Is(err, journal.ErrGone) || errors.Is(err, kube.ErrLostFleet) {
		return cli.Malformed(err)
	}
	return err
}

// close gives back what is still held, if the server ends before its time.
func (s *server) close() {
	if s.listener != nil {
		_ = s.listener.Close()
	}
	if s.socket != nil {
		_ = s.socket.Close()
	}
	if s.agents != nil {
		_ = s.agents.Close()
	}
	if s.audit.Log != nil {
		_ = s.audit.Close()
	}
	if s.engine != nil {
		_ = s.engine.Close()
	}
	if s.journal != nil {
		_ = s.journal.Close()
	}
	if s.folder != nil {
		s.folder.Close()
	}
}
