package postgres

import (
	"fmt"

	"github.com/muster-fleet/muster/internal/run/journal"
)

// A failover to a replica that lagged forgets entries, and others may take their places. A
// handle remembers the last entry that it has seen, and finds either.

// note remembers an entry that is in the log.
func (j *Journal) note(l journal.Link) {
	for known := j.known.Load(); l.Seq > 0 && (known == nil || l.Seq > known.Seq); known = j.known.Load() {
		if j.known.CompareAndSwap(known, &l) {
			return
		}
	}
}

// checkForgotten finds that the log ends before an entry that was seen, or has another in its
// place. l is the last of the log, or the entry in that place; known was seen before l was read.
func (j *Journal) checkForgotten(known *journal.Link, l journal.Link) error {
	switch {
	case known == nil:
		return nil
	case l.Seq < known.Seq:
		return j.forgotten(fmt.Sprintf("it ends at entry %d, though entry %d was there", l.Seq, known.Seq))
	case l.Seq == known.Seq && l.Sum != known.Sum:
		return j.forgotten(fmt.Sprintf("entry %d is another than it was", l.Seq))
	}
	return nil
}

func (j *Journal) forgotten(why string) error {
	return fmt.Errorf("journal %s: %w: %w: %s: the database has failed over to a replica that lagged; what was acknowledged since may be lost",
		j.name, journal.ErrGone, journal.ErrForgotten, why)
}
