package api

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"

	"buf.build/go/protovalidate"
	"connectrpc.com/connect"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// protocolCodes says which code of the protocol a class of refusals has.
var protocolCodes = map[core.Class]connect.Code{
	core.Denied:  connect.CodePermissionDenied,
	core.Absent:  connect.CodeNotFound,
	core.Taken:   connect.CodeAlreadyExists,
	core.Input:   connect.CodeInvalidArgument,
	core.Barred:  connect.CodeFailedPrecondition,
	core.Changed: connect.CodeAborted,
}

// fail makes an error of the protocol of whatever went wrong.
func fail(err error) *connect.Error {
	var (
		refusal   *core.Refusal
		mistaken  *wire.Mistake
		invalid   *protovalidate.ValidationError
		unknown   *unknownCaller
		wellKnown *connect.Error
		trimmed   *journal.TrimmedError
	)
	switch {
	case errors.As(err, &wellKnown):
		return wellKnown
	case errors.As(err, &refusal):
		return refused(refusal, nil)
	case errors.As(err, &mistaken):
		return misread([]*musterv1.FieldViolation{{Field: mistaken.Field, Message: mistaken.Message}})
	case errors.As(err, &invalid):
		return misread(violations(invalid))
	case errors.As(err, &unknown):
		return connect.NewError(connect.CodeUnauthenticated, err)
	case errors.As(err, &trimmed):
		return refused(&core.Refusal{Code: core.Invalid, Message: "records up to version " + strconv.FormatUint(trimmed.Last, 10) + ", of " + clock(fleet.Instant(trimmed.At)) +
			", are not kept any more; ask for a later moment or version (muster past still tells figures of before)"}, nil)
	case errors.Is(err, journal.ErrUnavailable):
		return connect.NewError(connect.CodeUnavailable, err)
	case errors.Is(err, journal.ErrDeposed), errors.Is(err, journal.ErrForgotten):
		e := connect.NewError(connect.CodeUnavailable, err)
		e.Meta().Set("Retry-After", "1") // another server leads now, or this one begins again
		return e
	case errors.Is(err, context.Canceled):
		return connect.NewError(connect.CodeCanceled, err)
	case errors.Is(err, context.DeadlineExceeded):
		return connect.NewError(connect.CodeDeadlineExceeded, err)
	}
	return connect.NewError(connect.CodeInternal, err)
}

// tooMuch says that more was asked for, at once or in all, than one caller gets.
func tooMuch(format string, args ...any) *connect.Error {
	return connect.NewError(connect.CodeResourceExhausted, fmt.Errorf(format, args...))
}

// refused is a refusal with its code, message and figures as a detail.
func refused(r *core.Refusal, fields []*musterv1.FieldViolation) *connect.Error {
	code, ok := protocolCodes[core.ClassOf(r.Code)]
	if !ok {
		code = connect.CodeFailedPrecondition
	}
	detail := &musterv1.Refusal{Code: string(r.Code), Message: r.Message, Fields: fields}
	if len(r.Figures) > 0 {
		detail.Figures = make(map[string]int64, len(r.Figures))
		for name, n := range r.Figures {
			detail.Figures[name] = int64(n)
		}
	}
	e := connect.NewError(code, r)
	if d, err := connect.NewErrorDetail(detail); err == nil {
		e.AddDetail(d)
	}
	return e
}

// misread is the refusal of input that is wrong at some places.
func misread(fields []*musterv1.FieldViolation) *connect.Error {
	lines := make([]string, len(fields))
	for i, f := range fields {
		lines[i] = f.GetField() + ": " + f.GetMessage()
	}
	return refused(&core.Refusal{Code: core.Invalid, Message: strings.Join(lines, "; ")}, fields)
}

// failures is the interceptor that makes errors of the protocol of all others,
// and says to the log when they are ours.
type failures struct{ log *slog.Logger }

// WrapUnary is part of connect.Interceptor.
func (f failures) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
		res, err := next(ctx, req)
		if err != nil {
			return nil, f.report(ctx, req.Spec().Procedure, err)
		}
		return res, nil
	}
}

// WrapStreamingHandler is part of connect.Interceptor.
func (f failures) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		if err := next(ctx, conn); err != nil {
			return f.report(ctx, conn.Spec().Procedure, err)
		}
		return nil
	}
}

// WrapStreamingClient is part of connect.Interceptor; a server has no clients.
func (f failures) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

func (f failures) report(ctx context.Context, procedure string, err error) error {
	e := fail(err)
	if e.Code() == connect.CodeInternal {
		f.log.ErrorContext(ctx, "a call failed", "procedure", procedure, "error", err)
	}
	return e
}

// panicked is a mistake of ours: the caller gets an id under which the log says more.
func panicked(log *slog.Logger) func(context.Context, connect.Spec, http.Header, any) error {
	return func(ctx context.Context, spec connect.Spec, _ http.Header, what any) error {
		var b [6]byte
		_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process instead
		id := hex.EncodeToString(b[:])
		log.ErrorContext(ctx, "a call panicked", "id", id, "procedure", spec.Procedure, "panic", what, "stack", string(debug.Stack()))
		return connect.NewError(connect.CodeInternal, fmt.Errorf("Muster made a mistake; its log says more under id %s", id)) //nolint:staticcheck // Muster is a name
	}
}
