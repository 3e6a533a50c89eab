package server

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	"github.com/muster-fleet/muster/internal/run/gate"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/wholefile"
	"github.com/muster-fleet/muster/internal/server/datafolder"
)

// A start proves what follows the newest snapshot; damage before that shows to who reads there,
// perhaps a year later, when no backup is without it. So a server that leads reads its log in the
// background, slowly, and says what it finds. A start goes on where the last one was.

// How the log is read: so many records at once, and how long it rests after them; and how long
// after a start and after the end it begins.
const (
	provenAtOnce = 256
	provingRest  = 100 * time.Millisecond
	provingFirst = time.Minute
	provingAgain = 24 * time.Hour
	provingKept  = 64 * 1024 // records after which is noted how far it is
)

// proof says how far a log was proven; the zero value is the beginning.
type proof struct {
	path  string    // of the file that it is kept in
	Next  uint64    `json:"next"`  // record to go on from
	Whole time.Time `json:"whole"` // when all of it was proven last
}

// readProof reads what was kept, if that is of any use.
func readProof(path string) *proof {
	p := &proof{path: path}
	if data, err := os.ReadFile(path); err != nil || json.Unmarshal(data, p) != nil {
		return &proof{path: path}
	}
	return p
}

// keep writes it. That it could not be kept costs time at the next start, and nothing else.
func (p *proof) keep() {
	if data, err := json.Marshal(p); err == nil {
		_ = wholefile.WriteBytes(p.path, data)
	}
}

// due is how long to wait before the log is read.
func (p *proof) due(now time.Time) time.Duration {
	if p.Next > 0 {
		return provingFirst
	}
	return max(provingFirst, p.Whole.Add(provingAgain).Sub(now))
}

// prove reads the log again and again until ctx ends.
func (s *server) prove(ctx context.Context) error {
	p := readProof(s.folder.File(datafolder.Proven))
	for {
		if gate.Pause(ctx, p.due(time.Now())); ctx.Err() != nil {
			return nil //nolint:nilerr // the server ends
		}
		damage, err := damageIn(ctx, s.journal, p, provingRest)
		p.keep()
		if err != nil { // it cannot be read now: others say so
			continue
		}
		if was := s.damage.Swap(damage); damage != nil && was == nil {
			s.log.Error("the journal is damaged where the state does not need it any more; add what has come since to the last backup (muster backup), and restore that", "error", damage)
		}
	}
}

// damageIn reads what was not proven yet of a log and returns its first damage; nil: there is none.
func damageIn(ctx context.Context, j journal.Journal, p *proof, pause time.Duration) (*journal.CorruptError, error) {
	err := j.Read(ctx, p.Next, func(en journal.Entry) error {
		p.Next = en.Seq + 1
		if en.Seq%provenAtOnce == 0 {
			gate.Pause(ctx, pause)
		}
		if en.Seq%provingKept == 0 {
			p.keep()
		}
		return ctx.Err()
	})
	var damage *journal.CorruptError
	switch {
	case errors.As(err, &damage):
		return damage, nil
	case err == nil:
		p.Next, p.Whole = 0, time.Now()
	case errors.As(err, new(*journal.TrimmedError)):
		p.Next = 0 // it begins later by now
	}
	return nil, err
}
