package journal

import "fmt"

// Link is the end of a stretch of the log: what the next entry must connect to. The zero
// link is the beginning.
type Link struct {
	Seq uint64
	At  int64
	Sum uint32 // chained: see Sum
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
