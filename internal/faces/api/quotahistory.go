package api

import (
	"context"
	"sync"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// history is what people decided about quotas, gathered from the log. It
// remembers how far it has read, so that a question reads only what is new.
type history struct {
	mu      sync.Mutex
	next    uint64 // sequence number to go on from
	lines   chronicle
	changes []dated
}

// dated is a line of history and when it happened.
type dated struct {
	at     fleet.Instant
	change *musterv1.QuotaChange
}

// ask answers a question from the log up to its end.
func (h *history) ask(ctx context.Context, e Engine, m *musterv1.HistoryRequest, until fleet.Instant) ([]*musterv1.QuotaChange, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := e.Records(ctx, max(1, h.next), h.add); err != nil {
		return nil, err
	}
	var list []*musterv1.QuotaChange
	for _, d := range h.changes {
		if d.at <= until && under(d.change.GetQuota(), m.GetQuota()) && (m.GetPartition() == "" || m.GetPartition() == d.change.GetPartition()) {
			list = append(list, d.change)
		}
	}
	return list[max(0, len(list)-orElse(m.GetLimit(), 1000)):], nil
}

func (h *history) add(r event.Record) error {
	why := h.lines.why(r)
	for _, e := range r.Events {
		for _, c := range h.lines.read(e) {
			c.Seq, c.At, c.Actor, c.Reason, c.Kind = r.Seq, wire.Instant(r.At), r.Actor, why, e.Kind()
			h.changes = append(h.changes, dated{r.At, c})
		}
	}
	h.next = r.Seq + 1
	return nil
}
