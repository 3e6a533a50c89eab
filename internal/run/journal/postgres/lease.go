package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/muster-fleet/muster/internal/run/journal"
)

// Lease says who leads.
type Lease struct {
	Term    int64
	Holder  string        // a name of the server, unlike all others'
	Address string        // where clients reach it
	Left    time.Duration // by the database's clock; 0 or less: it has ended
}

// Claim leads from now on for a while, if no other server does: in a new term, which ends all
// earlier writers. ok is false, and the lease that of the leader, where another leads.
func (j *Journal) Claim(ctx context.Context, holder, address string, length time.Duration) (is Lease, ok bool, err error) {
	ctx, stop := j.brief(ctx)
	defer stop()
	row := j.pool.QueryRow(ctx, `UPDATE muster.lease SET term = term + 1, holder = $1, address = $2, until = clock_timestamp() + $3
WHERE until < clock_timestamp() RETURNING term`, holder, address, length)
	switch err = row.Scan(&is.Term); {
	case err == nil:
		j.write.Lock()
		j.tail = journal.Link{} // who led before may have written since
		j.write.Unlock()
		j.term.Store(is.Term)
		j.led.Store(true)
		return Lease{is.Term, holder, address, length}, true, nil
	case errors.Is(err, pgx.ErrNoRows):
		is, err = j.Leader(ctx)
		return is, false, err
	}
	return is, false, j.explain("claim the lease", err)
}

// Renew leads for a while longer. It returns journal.ErrDeposed where another server has taken over.
func (j *Journal) Renew(ctx context.Context, length time.Duration) error {
	ctx, stop := j.brief(ctx)
	defer stop()
	tag, err := j.pool.Exec(ctx, "UPDATE muster.lease SET until = clock_timestamp() + $2 WHERE term = $1", j.term.Load(), length)
	switch {
	case err != nil:
		return j.explain("renew the lease", err)
	case tag.RowsAffected() == 0:
		return fmt.Errorf("journal %s: %w: term %d is over", j.name, journal.ErrDeposed, j.term.Load())
	}
	return nil
}

// Resign ends the lease at once, so that another server need not wait for its end.
func (j *Journal) Resign(ctx context.Context) error {
	ctx, stop := j.brief(ctx)
	defer stop()
	_, err := j.pool.Exec(ctx, "UPDATE muster.lease SET until = 'epoch' WHERE term = $1", j.term.Load())
	return j.explain("give the lease back", err)
}

// Leader says who leads.
func (j *Journal) Leader(ctx context.Context) (is Lease, err error) {
	if err := j.ready(ctx); err != nil {
		return is, err
	}
	ctx, stop := j.brief(ctx)
	defer stop()
	var left float64
	err = j.pool.QueryRow(ctx, "SELECT term, holder, address, greatest(extract(epoch FROM until - clock_timestamp()), 0)::float8 FROM muster.lease").
		Scan(&is.Term, &is.Holder, &is.Address, &left)
	is.Left = time.Duration(left * float64(time.Second))
	return is, j.explain("read the lease", err)
}
