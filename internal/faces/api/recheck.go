package api

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"time"

	"connectrpc.com/connect"
)

// usualRecheck is how often the caller of a stream is identified again, with its rights. What
// stands between a person's removal and this question (fileEvery, reviewGood, and in the room
// signin how often the provider is asked) must leave it within removal.
const usualRecheck = 2 * time.Second

// recheck is the interceptor that ends a stream once its caller may not follow it any more,
// or may by other rights: then the caller comes again, and is shown what those reach.
type recheck struct{ every time.Duration }

// errOtherRights has a follower come again.
var errOtherRights = connect.NewError(connect.CodeUnavailable, errors.New("what you may see has changed; watch again"))

// recheckOf identifies the caller of a request again and compares its rights: nil while they are
// the same.
func (s *Server) recheckOf(r *http.Request, was *caller) func() error {
	return func() error {
		is, err := s.identify(r)
		if err == nil {
			err = is.admit(r.URL.Path)
		}
		if err != nil {
			s.noteInAudit(r, is, err)
			return fail(err)
		}
		if is.actor.Name != was.actor.Name || is.actor.Operator != was.actor.Operator || is.openReading != was.openReading || !reflect.DeepEqual(is.rights, was.rights) || !reflect.DeepEqual(is.actor.Groups, was.actor.Groups) {
			return errOtherRights
		}
		return nil
	}
}

// WrapUnary is part of connect.Interceptor: one question is over before anything changes.
func (recheck) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc { return next }

// WrapStreamingHandler is part of connect.Interceptor.
func (k recheck) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		again := callerOf(ctx).recheck
		if again == nil {
			return next(ctx, conn)
		}
		ctx, end := context.WithCancel(ctx)
		over := make(chan error, 1)
		go func() {
			over <- k.watch(ctx, again)
			end()
		}()
		err := next(ctx, conn)
		end()
		if why := <-over; why != nil {
			return why
		}
		return err
	}
}

// watch asks again and again, until the caller may not follow any more or the stream is over.
func (k recheck) watch(ctx context.Context, again func() error) error {
	tick := time.NewTicker(k.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := again(); err != nil && ctx.Err() == nil {
			return err
		}
	}
}

// WrapStreamingClient is part of connect.Interceptor; a server has no clients.
func (recheck) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}
