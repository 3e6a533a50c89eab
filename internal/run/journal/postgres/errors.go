package postgres

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/muster-fleet/muster/internal/run/journal"
)

// Codes of PostgreSQL's errors.
const (
	uniqueViolation = "23505"
	undefinedTable  = "42P01"
	noDatabase      = "3D000"
)

// code is that of an error of the database; "" for others.
func code(err error) string {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return refused.Code
	}
	return ""
}

// explain turns whatever went wrong with the database into an error that names it. Errors
// of package journal pass through.
func (j *Journal) explain(doing string, err error) error {
	var corrupt *journal.CorruptError
	var fenced *journal.FencedError
	var version *journal.VersionError
	var trimmed *journal.TrimmedError
	if err == nil || errors.As(err, &trimmed) || errors.As(err, &corrupt) || errors.As(err, &fenced) || errors.As(err, &version) || ofJournal(err) {
		return err
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	var refused *pgconn.PgError
	if !errors.As(err, &refused) { // the connection broke, or none was to be had
		return fmt.Errorf("journal %s: %s: %w (%w)", j.name, doing, journal.ErrUnavailable, err)
	}
	switch {
	case refused.Code == "XX001" || refused.Code == "XX002":
		return &journal.CorruptError{Path: j.name, Offset: -1, Why: refused.Message}
	case refused.Code == noDatabase:
		return fmt.Errorf("journal %s: %s: %w: %s; where no fleet was there, make the database first, as createdb does", j.name, doing, journal.ErrGone, refused.Message)
	case refused.Code == undefinedTable || refused.Code == "3F000":
		return fmt.Errorf("journal %s: %s: %w: %s", j.name, doing, journal.ErrGone, refused.Message)
	case passes(refused.Code):
		return fmt.Errorf("journal %s: %s: %w (%w)", j.name, doing, journal.ErrUnavailable, err)
	}
	return fmt.Errorf("journal %s: %s: %w", j.name, doing, err)
}

func ofJournal(err error) bool {
	for _, known := range []error{journal.ErrClosed, journal.ErrUnavailable, journal.ErrGone, journal.ErrDeposed, journal.ErrReadOnly} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}

// passes says whether what the database refuses now it may do later: it starts or stops, is
// a replica for now, has no room, or too much to do.
func passes(code string) bool {
	for _, class := range []string{"08", "25006", "40", "53", "55", "57", "58"} {
		if strings.HasPrefix(code, class) {
			return true
		}
	}
	return false
}

// key is a sequence number as the database holds it.
func key(seq uint64) int64 { return int64(min(seq, math.MaxInt64)) }
