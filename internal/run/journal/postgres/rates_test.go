package postgres_test

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/postgres/pgtest"
)

// TestAppendsBesideTheDatabaseAlone says how many entries a second one handle appends, and
// how many such rows the database takes in such groups by a bare INSERT and a bare COPY, in turns.
// MUSTER_RATES says for how many seconds each is measured; without it the test is skipped.
func TestAppendsBesideTheDatabaseAlone(t *testing.T) {
	seconds, _ := strconv.Atoi(os.Getenv("MUSTER_RATES"))
	if seconds == 0 {
		t.Skip("MUSTER_RATES=3 measures it")
	}
	s := pgtest.Start(t)
	j := mustOpen(t, s.Address())
	_, _, err := j.Claim(ctx, "bench", "", time.Hour)
	must(t, err)
	conn, err := pgx.Connect(ctx, s.Address())
	must(t, err)
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, "CREATE TABLE bare (seq bigint PRIMARY KEY, at bigint, sum bigint, term bigint, data bytea)")
	must(t, err)
	next, bareNext := uint64(1), 1
	for _, rows := range []int{1, 32, 512} {
		data := make([]byte, 110)
		entries := make([]journal.Entry, rows)
		seqs, texts, values := make([]int64, rows), make([][]byte, rows), make([][]any, rows)
		ours := func() {
			for i := range entries {
				entries[i] = journal.Entry{Seq: next, At: int64(next), Data: data}
				next++
			}
			must(t, j.Append(ctx, entries))
		}
		insert := func() {
			for i := range seqs {
				seqs[i], texts[i] = int64(bareNext), data
				bareNext++
			}
			_, err := conn.Exec(ctx, "INSERT INTO bare SELECT s, s AS at, s AS sum, 1, d FROM unnest($1::bigint[], $2::bytea[]) AS e(s, d)", seqs, texts)
			must(t, err)
		}
		copied := func() {
			for i := range values {
				values[i] = []any{int64(bareNext), int64(bareNext), int64(bareNext), int64(1), data}
				bareNext++
			}
			_, err := conn.CopyFrom(ctx, pgx.Identifier{"bare"}, []string{"seq", "at", "sum", "term", "data"}, pgx.CopyFromRows(values))
			must(t, err)
		}
		rates := inTurns(time.Duration(seconds)*time.Second, 20*rows, ours, insert, copied)
		t.Logf("groups of %3d: %7.0f entries/s are appended; a bare INSERT takes %7.0f rows/s: %.2f of it; a bare COPY takes %7.0f: %.2f of it",
			rows, rates[0], rates[1], rates[0]/rates[1], rates[2], rates[0]/rates[2])
	}
}

// inTurns does each 20 times in turns, so that the disk's moods hit all, and says how many a second
// each did, of so many in its 20 times.
func inTurns(each time.Duration, n int, do ...func()) []float64 {
	took, done := make([]time.Duration, len(do)), 0
	for end := time.Now().Add(each * time.Duration(len(do))); time.Now().Before(end); done += n {
		for i, one := range do {
			began := time.Now()
			for range 20 {
				one()
			}
			took[i] += time.Since(began)
		}
	}
	rates := make([]float64, len(do))
	for i := range do {
		rates[i] = float64(done) / took[i].Seconds()
	}
	return rates
}
