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
// how many such rows the database takes in such groups by a bare INSERT, in turns. MUSTER_RATES says
// for how many seconds each is measured; without it the test is skipped.
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
		seqs, texts := make([]int64, rows), make([][]byte, rows)
		ours := func() {
			for i := range entries {
				entries[i] = journal.Entry{Seq: next, At: int64(next), Data: data}
				next++
			}
			must(t, j.Append(ctx, entries))
		}
		bare := func() {
			for i := range seqs {
				seqs[i], texts[i] = int64(bareNext), data
				bareNext++
			}
			_, err := conn.Exec(ctx, "INSERT INTO bare SELECT s, s AS at, s AS sum, 1, d FROM unnest($1::bigint[], $2::bytea[]) AS e(s, d)", seqs, texts)
			must(t, err)
		}
		var took [2]time.Duration
		var n [2]int
		for end := time.Now().Add(time.Duration(2*seconds) * time.Second); time.Now().Before(end); {
			for i, do := range []func(){ours, bare} {
				began := time.Now()
				for range 20 { // in turns, so that the disk's moods hit both
					do()
				}
				took[i] += time.Since(began)
				n[i] += 20 * rows
			}
		}
		a, b := float64(n[0])/took[0].Seconds(), float64(n[1])/took[1].Seconds()
		t.Logf("groups of %3d: %7.0f entries/s are appended, a bare INSERT takes %7.0f rows/s: %.2f of it", rows, a, b, a/b)
	}
}
