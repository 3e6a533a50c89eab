package server

import (
	"context"
	"errors"
	"time"

	"github.com/muster-fleet/muster/internal/run/journal"
)

// A start proves what follows the newest snapshot; damage before that shows to who reads there,
// perhaps a year later, when no backup is without it. So a server that leads reads its log in the
// background, slowly, and says what it finds.

// How the log is read: so many records at once, and how long it rests after them; and how long
// after a start and after the end it begins.
const (
	provenAtOnce = 256
	provingRest  = 100 * time.Millisecond
	provingFirst = time.Minute
	provingAgain = 24 * time.Hour
)

// prove reads the log again and again until ctx ends.
func (s *server) prove(ctx context.Context) error {
	for wait := provingFirst; ; wait = provingAgain {
		if rest(ctx, wait); ctx.Err() != nil {
			return nil //nolint:nilerr // the server ends
		}
		damage, err := damageIn(ctx, s.journal, provingRest)
		if err != nil { // it cannot be read now: others say so
			continue
		}
		if was := s.damage.Swap(damage); damage != nil && was == nil {
			s.log.Error("the journal is damaged where the state does not need it any more; add what has come since to the last backup (muster backup), and restore that", "error", damage)
		}
	}
}

// damageIn reads a log and returns its first damage; nil: there is none.
func damageIn(ctx context.Context, j journal.Journal, pause time.Duration) (*journal.CorruptError, error) {
	err := j.Read(ctx, 0, func(en journal.Entry) error {
		if en.Seq%provenAtOnce == 0 {
			rest(ctx, pause)
		}
		return ctx.Err()
	})
	var damage *journal.CorruptError
	if errors.As(err, &damage) {
		return damage, nil
	}
	return nil, err
}
