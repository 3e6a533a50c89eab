package web

import (
	"context"
	"errors"
	"time"

	"connectrpc.com/connect"
)

// pastPatience is how long a page waits for the past. After a start that found no notes of
// it, it is gathered for minutes: the page shows the rest meanwhile, and asks again when
// something changes.
const pastPatience = 800 * time.Millisecond

// soon is the context of a question that a page does not wait long for.
func (v *visit) soon() (context.Context, context.CancelFunc) {
	return context.WithTimeout(v.ctx, pastPatience)
}

// noPast says why the past is not shown.
func noPast(err error) string {
	if errors.Is(err, context.DeadlineExceeded) || connect.CodeOf(err) == connect.CodeDeadlineExceeded {
		return "The past is still being gathered; it shows here when it is."
	}
	return "The past could not be read: " + troubleOf(err).text
}
