package api

import (
	"context"
	"errors"
	"net/http"

	"connectrpc.com/connect"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/audit"
)

// noteInAudit notes how a request was let in or refused.
func (s *Server) noteInAudit(r *http.Request, c *caller, err error) {
	if s.audit == nil {
		return
	}
	e := audit.Entry{Actor: c.actor.Name, Source: c.source, Token: c.token, Call: r.URL.Path}
	var unknown *unknownCaller
	switch {
	case errors.As(err, &unknown):
		e.Kind, e.Text = audit.Unknown, unknown.Error()
	case denied(err):
		e.Kind, e.Text = audit.Denied, err.Error()
	case err == nil && actsFor(r) != "" && c.actor.User == actsFor(r):
		e.Kind = audit.ActedFor
	case err == nil && s.newcomers.seen(c):
		e.Kind, e.Call = audit.TokenUsed, ""
	default:
		return
	}
	s.audit.Note(e)
}

// denied says whether an error is a refusal for want of rights.
func denied(err error) bool {
	var refusal *core.Refusal
	return errors.As(err, &refusal) && core.ClassOf(refusal.Code) == core.Denied
}

// denials is the interceptor that notes calls which a command or an answer refuses for want
// of rights.
type denials struct{ *service }

// WrapUnary is part of connect.Interceptor.
func (d denials) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
		res, err := next(ctx, req)
		d.look(ctx, req.Spec().Procedure, err)
		return res, err
	}
}

// WrapStreamingHandler is part of connect.Interceptor.
func (d denials) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		err := next(ctx, conn)
		d.look(ctx, conn.Spec().Procedure, err)
		return err
	}
}

// WrapStreamingClient is part of connect.Interceptor; a server has no clients.
func (d denials) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

func (d denials) look(ctx context.Context, procedure string, err error) {
	if d.audit == nil || !denied(err) {
		return
	}
	c := callerOf(ctx)
	d.audit.Note(audit.Entry{Kind: audit.Denied, Actor: c.actor.Name, Source: c.source, Token: c.token, Call: procedure, Text: err.Error()})
}

// headerProof tells the pages what the connection proves of their reader, so that answers
// are kept apart by it.
const headerProof = "Muster-Proof"

// pages hands requests to the pages with the header that says what their connection proves.
func (s *Server) pages(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del(headerProof)
		if p, ok := s.auth.(prover); ok && p.proves(r) {
			r.Header.Set(headerProof, "own")
		}
		next.ServeHTTP(w, r)
	})
}
