package client

import (
	"context"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// Watch calls fn for every record from a sequence number on: history first, then
// what happens. From 0 means from now on; with kinds, only events whose kind begins
// so. It goes on where it was when the connection breaks, and ends when ctx does,
// when fn returns an error (returned as it is), or when the server says no.
func (c *Client) Watch(ctx context.Context, from uint64, kinds []string, fn func(*musterv1.Record) error) error {
	if from == 0 {
		now, err := c.System.Status(ctx, &musterv1.StatusRequest{})
		if err != nil {
			return err
		}
		from = now.GetSeen().GetVersion() + 1
	}
	patience := c.courier.retries
	for attempt := 0; ; attempt++ {
		next, err := c.watchOnce(ctx, from, kinds, fn)
		if next > from {
			// It was there once, so it may come back: a server that restarts takes a while.
			from, attempt, patience = next, 0, max(patience, 20)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if s, mine := err.(stopped); mine { //nolint:errorlint // it is made here and wrapped by nobody
			return s.error
		}
		if err != nil && !c.courier.lost(ctx, err) || attempt >= patience {
			return c.courier.plain(err)
		}
		if err := c.courier.pause(ctx, attempt); err != nil {
			return err
		}
	}
}

// stopped is an error of the caller's fn.
type stopped struct{ error }

// watchOnce reads one stream to its end. Next is where to go on.
func (c *Client) watchOnce(ctx context.Context, from uint64, kinds []string, fn func(*musterv1.Record) error) (next uint64, err error) {
	stream, err := c.Events.Watch(ctx, &musterv1.WatchRequest{From: from, Kinds: kinds})
	if err != nil {
		return from, err
	}
	defer func() { _ = stream.Close() }()
	for stream.Receive() {
		r := stream.Msg().GetRecord()
		if err := fn(r); err != nil {
			return from, stopped{err}
		}
		from = r.GetSeq() + 1
	}
	return from, stream.Err()
}
