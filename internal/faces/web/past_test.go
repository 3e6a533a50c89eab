package web_test

import (
	"context"
	"testing"

	"github.com/muster-fleet/muster/internal/answer/past"
)

// gathering is a past that is not gathered as long as anybody asks.
type gathering struct{}

func (gathering) Read(ctx context.Context, _ uint64, _ func(*past.Book)) error {
	<-ctx.Done()
	return ctx.Err()
}

// After a start without notes the past is gathered for minutes: no page waits for it
// that has anything else to show.
func TestPagesDoNotWaitForThePast(t *testing.T) {
	h := openWith(t, nil, gathering{}).furnish()
	_, body := h.get("/haircuts")
	has(t, body, "research/oak")
	_, body = h.get("/nodes")
	has(t, body, "The past is still being gathered")
	_, body = h.get("/team/research/oak")
	has(t, body, "GPUs granted are backed")
}
