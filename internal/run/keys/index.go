package keys

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"sync"
	"time"
)

// Kept is how long a key is known at least, unless there are more than Most.
const Kept = 7 * 24 * time.Hour

// Most is how many keys are known where there are more within seven days, and up to a part's more:
// seven days of 55 commands a second, in about 320 MB of memory.
const Most = 32 << 20

// partKeys is how many keys one table has at most: what goes at once where there are too many, and
// what is moved at once where a table grows.
const partKeys = 4 << 20

const oneDay = int64(24 * time.Hour)

// Index knows the keys of a log up to a record. Its methods may be called from several
// goroutines.
type Index struct {
	mu    sync.RWMutex
	parts []*part // the oldest first
	end   uint64  // the last record that it knows
	at    int64   // its moment
	data  []byte  // what the log holds of it
	file  file
	most  int // keys; 0: Most
	each  int // keys of a part; 0: partKeys
}

// part is the keys of the records of one day, by UTC, or of a piece of it where there are many.
type part struct {
	place
	since int64 // the moment of the record before its first
	table
}

// place is where a part stands among all.
type place struct {
	day int64 // since 1970
	nth int64 // of that day, from 0
}

func (p place) compare(other place) int {
	return cmp.Or(cmp.Compare(p.day, other.day), cmp.Compare(p.nth, other.nth))
}

// tagOf is what a table knows of a key.
func tagOf(key string) uint32 {
	var room [256]byte // of most keys, so that they are not copied to the heap
	sum := sha256.Sum256(append(room[:0], key...))
	return binary.LittleEndian.Uint32(sum[:])
}

// Begin forgets all: what is added next is what follows the record end. All keys used after
// the moment since are to be added; 0: all there ever were.
func (x *Index) Begin(end uint64, since int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.parts, x.end, x.at, x.data = nil, end, since, nil
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
	p := x.present(seq, at)
	x.end, x.at, x.data = seq, max(x.at, at), data
	if key != "" {
		tag := tagOf(key)
		p.add(tag, seq)
		x.file.note(tag, seq)
	}
	if x.file.full(x.end) {
		x.flush()
	}
}

// present is the part to which a record belongs, which may be a new one. Time does not go back here.
func (x *Index) present(seq uint64, at int64) *part {
	to := place{day: max(x.at, at) / oneDay}
	if n := len(x.parts); n > 0 && x.parts[n-1].day >= to.day {
		last := x.parts[n-1]
		if last.count < x.eachOf() {
			return last
		}
		to = place{day: last.day, nth: last.nth + 1}
	}
	x.flush()
	p := x.open(to, seq, x.at)
	x.file.turn(to)
	return p
}

// open begins a part, and lets go of those that are over for long enough, or too many.
func (x *Index) open(at place, first uint64, since int64) *part {
	p := &part{place: at, since: since, table: table{first: first}}
	if n := len(x.parts); n > 0 { // it will be about as full as the one before
		before := x.parts[n-1]
		before.settle()
		p.make(min(x.eachOf(), before.count+before.count/8))
	}
	x.parts = append(x.parts, p)
	for len(x.parts) > 1 && (x.parts[0].day < at.day-int64(Kept)/oneDay || x.count()-x.parts[0].count >= x.limit()) {
		x.file.remove(x.parts[0].place)
		x.parts = slices.Delete(x.parts, 0, 1)
	}
	return p
}

func (x *Index) limit() int { return cmp.Or(x.most, Most) }

func (x *Index) eachOf() int { return cmp.Or(x.each, partKeys) }

func (x *Index) count() (n int) {
	for _, p := range x.parts {
		n += p.count
	}
	return n
}

// Find lists the records that may bear a key, the newest first. One that does is among them, if
// it is from after the moment that Since names.
func (x *Index) Find(key string) (seqs []uint64) {
	tag := tagOf(key)
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, p := range slices.Backward(x.parts) {
		seqs = append(seqs, p.find(tag)...)
	}
	return seqs
}

// Since is the moment since which all keys are known; 0: all there ever were are.
func (x *Index) Since() int64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if len(x.parts) == 0 {
		return x.at
	}
	return x.parts[0].since
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
	for _, p := range x.parts {
		n += 8 * len(p.slots)
	}
	return n
}
