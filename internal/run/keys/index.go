package keys

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"sync"
	"time"
)

// Kept is how long a key is known at least, unless there are more than Most.
const Kept = 7 * 24 * time.Hour

// Most is how many keys are known at most: seven days of 55 commands a second, in about
// 320 MB of memory.
const Most = 32 << 20

const oneDay = int64(24 * time.Hour)

// Index knows the keys of a log up to a record. Its methods may be called from several
// goroutines.
type Index struct {
	mu   sync.RWMutex
	days []*day // the oldest first
	end  uint64 // the last record that it knows
	at   int64  // its moment
	data []byte // what the log holds of it
	file file
	most int
}

// day is the keys of the records of one day, by UTC.
type day struct {
	number int64 // days since 1970
	since  int64 // the moment of the record before its first
	table
}

// tagOf is what a table knows of a key.
func tagOf(key string) uint32 {
	sum := sha256.Sum256([]byte(key))
	return binary.LittleEndian.Uint32(sum[:])
}

// Begin forgets all: what is added next is what follows the record end. All keys used after
// the moment since are to be added; 0: all there ever were.
func (x *Index) Begin(end uint64, since int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.days, x.end, x.at, x.data = nil, end, since, nil
	x.file.clear()
	x.file.begin(end+1, since)
}

// Add adds the record after the last one: its moment, its key ("": it has none), and what the
// log holds of it, by which the files know the log again. A record that is known is passed over.
func (x *Index) Add(seq uint64, at int64, key string, data []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if seq <= x.end {
		return
	}
	d := x.today(seq, at)
	x.end, x.at, x.data = seq, max(x.at, at), data
	if key != "" {
		tag := tagOf(key)
		d.add(tag, seq)
		x.file.note(tag, seq)
	}
	if x.file.full(x.end) {
		x.flush()
	}
}

// today is the day of a moment, which may be a new one. Time does not go back here.
func (x *Index) today(seq uint64, at int64) *day {
	number := max(x.at, at) / oneDay
	if n := len(x.days); n > 0 && x.days[n-1].number >= number {
		return x.days[n-1]
	}
	x.flush()
	d := x.open(number, seq, x.at)
	x.file.turn(number)
	return d
}

// open begins a day, and lets go of those that are over for long enough, or too many.
func (x *Index) open(number int64, first uint64, since int64) *day {
	if n := len(x.days); n > 0 {
		x.days[n-1].settle()
	}
	d := &day{number: number, since: since, table: table{first: first}}
	x.days = append(x.days, d)
	for len(x.days) > 1 && (x.days[0].number < number-int64(Kept)/oneDay || x.count() > x.limit()) {
		x.file.remove(x.days[0].number)
		x.days = slices.Delete(x.days, 0, 1)
	}
	return d
}

func (x *Index) limit() int {
	if x.most > 0 {
		return x.most
	}
	return Most
}

func (x *Index) count() (n int) {
	for _, d := range x.days {
		n += d.count
	}
	return n
}

// Find lists the records that may bear a key, the newest first. One that does is among them, if
// it is from after the moment that Since names.
func (x *Index) Find(key string) (seqs []uint64) {
	tag := tagOf(key)
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, d := range slices.Backward(x.days) {
		seqs = append(seqs, d.find(tag)...)
	}
	return seqs
}

// Since is the moment since which all keys are known; 0: all there ever were are.
func (x *Index) Since() int64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if len(x.days) == 0 {
		return x.at
	}
	return x.days[0].since
}

// End is the last record that is known.
func (x *Index) End() uint64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.end
}

// Bytes is the memory that the keys take.
func (x *Index) Bytes() (n int) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, d := range x.days {
		n += 8 * len(d.slots)
	}
	return n
}
