package forecast

import (
	"time"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Book keeps forecasts until it is known what came of them, and corrects new
// ones by how far those were off. Later submissions, failures and changing habits
// are in no copy of the fleet, but they are in the past's misses. It must not be read while it is written.
type Book struct {
	open  map[uint64][]entry
	score Score
	sides [2]side // of P50 and of P90
}

// entry is one known forecast whose workload still waits.
type entry struct {
	at   fleet.Instant
	raw  moments // as the paths said
	said moments // as it was corrected
}

// moments are a P50 and a P90.
type moments [2]fleet.Instant

// Score is how good forecasts were.
type Score struct {
	Made    int // questions asked
	Known   int // that got moments as an answer
	Settled int // known ones whose workload has started
	P50     int // of the settled: it had started by that moment
	P90     int
}

// most is how many entries of one workload are kept while it waits.
const most = 1000

// NewBook is a book without entries.
func NewBook() *Book {
	b := &Book{open: map[uint64][]entry{}}
	for i := range b.sides {
		b.sides[i].level = goals[i]
	}
	return b
}

// Score is how good the forecasts were so far.
func (b *Book) Score() Score { return b.score }

// Note enters forecasts that were made with this book.
func (b *Book) Note(list []Asked) {
	for _, a := range list {
		b.score.Made++
		if !a.Answer.Known {
			continue
		}
		b.score.Known++
		if len(b.open[a.Workload]) < most {
			b.open[a.Workload] = append(b.open[a.Workload], entry{a.At, a.raw, moments{a.Answer.P50, a.Answer.P90}})
		}
	}
}

// Hear looks through a record for workloads that have started or ended; s is
// the state after it.
func (b *Book) Hear(r event.Record, s *fleet.State) {
	for _, e := range r.Events {
		id := event.Workload(e)
		if w := s.Workloads[id]; w != nil && len(b.open[id]) > 0 {
			b.settle(w, r.At)
		}
	}
}

// settle closes the entries of a workload that waits no more. One that was taken
// back before it started says nothing about its forecasts.
func (b *Book) settle(w *fleet.Workload, now fleet.Instant) {
	if w.State == fleet.RunningW {
		b.count(b.open[w.ID], now)
		for i := range b.sides {
			b.sides[i].learn(b.open[w.ID], i, now)
		}
	}
	if !waits(w) {
		delete(b.open, w.ID)
	}
}

func (b *Book) count(entries []entry, now fleet.Instant) {
	for _, e := range entries {
		b.score.Settled++
		if now <= e.said[0] {
			b.score.P50++
		}
		if now <= e.said[1] {
			b.score.P90++
		}
	}
}

// stretch is how long a wait was, or has been so far, as a part of the one that
// the paths said, in units. The least wait that counts keeps it within reason
// where hardly any was said.
func stretch(e entry, i int, now fleet.Instant) int64 {
	return share(now.Sub(e.at)+leastWait, e.raw[i].Sub(e.at)+leastWait)
}

const leastWait = time.Minute
