package api

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"time"

	"connectrpc.com/connect"
)

// usualStanding is how often a stream asks anew who follows it, and with which rights. What
// stands between a person's removal and this question (fileEvery, reviewGood, and in the room
// signin how often the provider is asked) must leave it within removal.
const usualStanding = 2 * time.Second

// standing is the interceptor that ends a stream once its caller may not follow it any more,
// or may by other rights: then the caller comes again, and is shown what those reach.
type standing struct{ every time.Duration }

// errOtherRights has a follower come again.
var errOtherRights = connect.NewError(connect.CodeUnavailable, errors.New("what you may see has changed; watch again"))

// stands has a caller judged again like a caller of this moment: nil while nothing is different.
func (s *Server) stands(r *http.Request, was *caller) func() error {
	return func() error {
		is, err := s.identify(r)
		if err == nil {
			err = is.admit(r.URL.Path)
		}
		if err != nil {
			s.witness(r, is, err)
			return fail(err)
		}
		if is.actor.Name != was.actor.Name || is.actor.Operator != was.actor.Operator || !reflect.DeepEqual(is.rights, was.rights) || !reflect.DeepEqual(is.actor.Groups, was.actor.Groups) {
			return errOtherRights
		}
		return nil
	}
}

// WrapUnary is part of connect.Interceptor: one question is over before anything changes.
func (standing) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc { return next }

// WrapStreamingHandler is part of connect.Interceptor.
func (k standing) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		stands := callerOf(ctx).stands
		if stands == nil {
			return next(ctx, conn)
		}
		ctx, end := context.WithCancel(ctx)
		over := make(chan error, 1)
		go func() {
			over <- k.watch(ctx, stands)
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

// watch asks until a caller does not stand any more, or the stream is over.
func (k standing) watch(ctx context.Context, stands func() error) error {
	tick := time.NewTicker(k.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := stands(); err != nil && ctx.Err() == nil {
			return err
		}
	}
}

// WrapStreamingClient is part of connect.Interceptor; a server has no clients.
func (standing) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}
