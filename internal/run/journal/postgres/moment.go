package postgres

import (
	"context"
	"sort"

	"github.com/jackc/pgx/v5"
)

// The log is a row of runs. Within a run At never falls, so a moment is found by halving; a
// run begins at the first entry and at every turn, where At steps back. Turns are rare, and the
// table turn knows them all.

// SeqAt returns the last sequence number whose At <= at; see journal.Journal.
func (j *Journal) SeqAt(ctx context.Context, at int64) (uint64, error) {
	last, _, err := j.Last(ctx)
	if err != nil {
		return 0, err
	}
	starts, err := j.runs(ctx, last)
	if err != nil {
		return 0, err
	}
	end := last
	for _, start := range starts {
		seq, err := j.lastInRun(ctx, start, end, at)
		if err != nil || seq >= start {
			return seq, err
		}
		end = start - 1
	}
	base := j.beginning()
	if base.At > at {
		return 0, base.Lacks(base.Seq)
	}
	return base.Seq, nil
}

// runs returns where the runs up to the entry last begin, latest first.
func (j *Journal) runs(ctx context.Context, last uint64) (starts []uint64, err error) {
	ctx, stop := j.brief(ctx)
	defer stop()
	first := j.beginning().Seq + 1
	rows, err := j.pool.Query(ctx, "SELECT seq FROM muster.turn WHERE seq <= $1 AND seq > $2 ORDER BY seq DESC", key(last), key(first))
	if err != nil {
		return nil, j.explain("read the turns", err)
	}
	seqs, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	for _, seq := range seqs {
		starts = append(starts, uint64(seq))
	}
	return append(starts, first), j.explain("read the turns", err)
}

// lastInRun returns the last entry of the run start..end whose At <= at, or start-1.
func (j *Journal) lastInRun(ctx context.Context, start, end uint64, at int64) (uint64, error) {
	var failed error
	n := sort.Search(int(end+1-start), func(i int) bool {
		l, err := j.stored(ctx, start+uint64(i))
		if err != nil {
			failed = err
		}
		return failed != nil || l.At > at
	})
	return start + uint64(n) - 1, failed
}
