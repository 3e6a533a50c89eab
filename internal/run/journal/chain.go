package journal

import (
	"errors"
	"fmt"
)

// Link is the end of a stretch of the log: what the next entry must connect to. The zero
// link is the beginning.
type Link struct {
	Seq uint64
	At  int64
	Sum uint32 // chained: see Sum
}

// Base is what stands in the place of the entries that were dropped from the beginning of
// a log. Its link is that of the last of them: the first entry that is kept connects to it.
type Base struct {
	Link
	Data []byte // what is to be known instead of them; opaque
}

// Lacks returns a *TrimmedError where an entry was dropped.
func (l Link) Lacks(seq uint64) error {
	if seq == 0 || seq > l.Seq {
		return nil
	}
	return &TrimmedError{Last: l.Seq, At: l.At}
}

// CheckTrim returns why a log that begins after l and ends with the entry last cannot be trimmed to
// the entry to.
func (l Link) CheckTrim(to, last uint64) error {
	switch {
	case to < l.Seq:
		return l.Lacks(to + 1)
	case to == 0 || to >= last && to != l.Seq:
		return fmt.Errorf("journal: trimming to entry %d refused, the log ends at %d: a log keeps one entry at least; nothing was dropped", to, last)
	}
	return nil
}

// CheckBegin returns why a log that ends with the entry last cannot begin after b.
func (b Base) CheckBegin(last uint64) error {
	switch {
	case last > 0:
		return fmt.Errorf("journal: it holds entries up to %d; only an empty one can begin elsewhere", last)
	case b.Seq == 0:
		return errors.New("journal: a log begins after entry 1 or a later one")
	}
	return nil
}

// Extend returns the link that e makes.
func (l Link) Extend(e Entry) Link {
	return Link{Seq: e.Seq, At: e.At, Sum: Sum(l.Sum, e)}
}

// Prove returns the link that e makes, given the checksum that is stored with it; or why e
// is not the entry after l as it was written.
func (l Link) Prove(e Entry, sum int64) (next Link, why string) {
	if e.Seq != l.Seq+1 {
		return l, fmt.Sprintf("it is missing, entry %d follows", e.Seq)
	}
	if next = l.Extend(e); int64(next.Sum) != sum {
		return l, "its checksum is wrong: it, or the entry before it, is not as it was written"
	}
	return next, ""
}

// Turns says whether At steps back at e, the entry after l: a run of the log begins there.
func (l Link) Turns(e Entry) bool { return l.Seq > 0 && e.At < l.At }
