package api

import (
	"context"
	"log/slog"
	"time"

	"connectrpc.com/connect"
)

// logging is the interceptor that says to the log, at level debug, who called
// what, how it went and how long it took. Failures of ours are logged where they
// become errors (fail.go).
type logging struct{ log *slog.Logger }

// WrapUnary is part of connect.Interceptor.
func (l logging) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
		if !l.log.Enabled(ctx, slog.LevelDebug) {
			return next(ctx, req)
		}
		began := time.Now()
		res, err := next(ctx, req)
		l.line(ctx, req.Spec().Procedure, began, err)
		return res, err
	}
}

// WrapStreamingHandler is part of connect.Interceptor.
func (l logging) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		began := time.Now()
		err := next(ctx, conn)
		l.line(ctx, conn.Spec().Procedure, began, err)
		return err
	}
}

// WrapStreamingClient is part of connect.Interceptor; a server has no clients.
func (l logging) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

func (l logging) line(ctx context.Context, procedure string, began time.Time, err error) {
	code := "ok"
	if err != nil {
		code = connect.CodeOf(err).String()
	}
	l.log.DebugContext(ctx, "call", "procedure", procedure, "actor", callerOf(ctx).actor.Name, "code", code, "took", time.Since(began))
}
