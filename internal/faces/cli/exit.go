package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"connectrpc.com/connect"

	"github.com/muster-fleet/muster/client"
	"github.com/muster-fleet/muster/internal/answer/yamlfile"
)

// The exit codes.
const (
	ExitOK         = 0
	ExitError      = 1 // an error, or a refusal
	ExitUsage      = 2 // a wrong command line, or malformed input
	ExitNotMet     = 3 // what was asked for is not so; with --exit-code, or where a proof fails
	ExitNotAllowed = 4
	ExitStale      = 5 // made from a state that has moved on
	ExitTimeout    = 124
)

// usageError is a command line, or input, that says nothing sensible.
type usageError struct {
	message string
	cause   error // nil: the command line itself
}

func (e *usageError) Error() string { return e.message }
func (e *usageError) Unwrap() error { return e.cause }

func usage(format string, args ...any) error {
	return &usageError{message: fmt.Sprintf(format, args...)}
}

// Usage is an error of the command line: it says nothing sensible. It ends a
// command with ExitUsage.
func Usage(format string, args ...any) error { return usage(format, args...) }

// Malformed is an error of input: what was given cannot be used. It ends a
// command with ExitUsage.
func Malformed(err error) error {
	if err == nil {
		return nil
	}
	return &usageError{message: err.Error(), cause: err}
}

// errNotMet says that a condition is not met.
var errNotMet = &told{errors.New("the condition is not met"), ExitNotMet}

// exitCode is the exit code of an error.
func exitCode(err error) int {
	var malformed *usageError
	var file yamlfile.Errors
	if t, ok := asTold(err); ok {
		return t.code
	}
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &malformed), errors.As(err, &file), errors.As(err, new(*client.TokenInClear)), errors.As(err, new(*client.NoAddress)):
		return ExitUsage
	case client.NotAllowed(err):
		return ExitNotAllowed
	case client.Refused(err, client.Stale):
		return ExitStale
	case errors.Is(err, context.DeadlineExceeded), connect.CodeOf(err) == connect.CodeDeadlineExceeded:
		return ExitTimeout
	case atFields(err):
		return ExitUsage
	}
	return ExitError
}

// atFields says whether the server found the input itself malformed.
func atFields(err error) bool {
	var r *client.Refusal
	return errors.As(err, &r) && len(r.Fields) > 0
}

// explain says an error to people: what is wrong, where, and what would be right.
func explain(err error) string {
	var refusal *client.Refusal
	var protocol *connect.Error
	switch {
	case errors.As(err, &refusal):
		return refused(refusal)
	case errors.Is(err, context.DeadlineExceeded), connect.CodeOf(err) == connect.CodeDeadlineExceeded:
		return "no answer in time; give it longer with --timeout"
	case errors.As(err, &protocol) && protocol.Code() == connect.CodeUnauthenticated:
		return protocol.Message()
	case errors.As(err, &protocol):
		return protocol.Message()
	}
	return err.Error()
}

// refused says a refusal: its message, the figures behind it and its code.
func refused(r *client.Refusal) string {
	if len(r.Fields) > 0 {
		lines := make([]string, len(r.Fields))
		for i, f := range r.Fields {
			lines[i] = strings.TrimPrefix(f.GetField()+": ", ": ") + f.GetMessage()
		}
		return strings.Join(lines, "\n")
	}
	text := r.Code + ": " + r.Message
	if len(r.Figures) > 0 {
		text += "\n  " + figures(r.Figures)
	}
	return text
}

// told is an error that was told to people already; it only has an exit code.
type told struct {
	error
	code int
}

// asTold finds out whether an error was told already.
func asTold(err error) (*told, bool) {
	var t *told
	found := errors.As(err, &t)
	return t, found
}
