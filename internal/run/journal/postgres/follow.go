package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/muster-fleet/muster/internal/run/journal"
)

var _ journal.Follower = (*Journal)(nil)

// poll is how often a follower looks by itself: a notice may be lost with its connection.
const poll = 250 * time.Millisecond

// Wait returns once the log may go beyond a sequence number, and where it ends; see journal.Follower.
func (j *Journal) Wait(ctx context.Context, after uint64) (last uint64, err error) {
	j.listening.Lock()
	defer j.listening.Unlock()
	if last, _, err = j.Last(ctx); err != nil || last > after {
		return last, err
	}
	if err := j.hear(ctx); err != nil {
		return last, err
	}
	last, _, err = j.Last(ctx)
	return last, err
}

// hear returns at a notice, or when it is time to look.
func (j *Journal) hear(ctx context.Context) error {
	if j.listener == nil {
		if err := j.listen(ctx); err != nil {
			return j.explain("listen", err)
		}
		return nil // what was written before is seen by a look now
	}
	brief, stop := context.WithTimeout(ctx, poll)
	defer stop()
	_, err := j.listener.WaitForNotification(brief)
	if err != nil && brief.Err() == nil {
		_ = j.listener.Close(brief)
		j.listener = nil
	}
	return ctx.Err()
}

func (j *Journal) listen(ctx context.Context) error {
	ctx, stop := j.brief(ctx)
	defer stop()
	conn, err := pgx.ConnectConfig(ctx, j.pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "LISTEN muster"); err != nil {
		_ = conn.Close(ctx)
		return err
	}
	j.listener = conn
	return nil
}
