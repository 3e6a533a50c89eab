package journal

import (
	"errors"
	"fmt"
	"time"
)

// What the world can do to a journal. Backends wrap these with the place and
// the remedy; ask with errors.Is.
var (
	ErrClosed   = errors.New("the journal is closed")
	ErrReadOnly = errors.New("the journal cannot be written")
	ErrDiskFull = errors.New("the disk is full")
	ErrLocked   = errors.New("another process holds the journal")
	// ErrGone: the log that was opened is not there any more. What was appended last may be lost.
	ErrGone = errors.New("the journal is gone")
	// ErrForgotten is an ErrGone of a log that is still there, but ends before what this handle
	// has seen in it: its database has failed over to a replica that lagged. Who opens it
	// anew goes on from where it ends, and compares with the clusters.
	ErrForgotten = errors.New("the journal has forgotten entries")
	// ErrUnavailable: the journal cannot be reached now. Whether an Append that returns it
	// was done is not known; the same Append again finds out, and does it where it was not.
	ErrUnavailable = errors.New("the journal cannot be reached")
	// ErrDeposed: another server leads now. This one can write nothing more.
	ErrDeposed = errors.New("another server leads now")
)

// FencedError says that Append did not bring the next sequence number: as a
// rule, because another writer got there first. Nothing was written.
type FencedError struct {
	Next uint64 // the sequence number the log would have taken
	Got  uint64 // the one it was given
}

func (e *FencedError) Error() string {
	return fmt.Sprintf("journal: entry %d refused, the next is %d: another writer got there first, or the caller lost count; nothing was written",
		e.Got, e.Next)
}

// CorruptError says that the log is damaged, where, and how much of it is good.
type CorruptError struct {
	Path   string // the damaged file; empty where there is none
	Seq    uint64 // the first entry that is missing or not as it was written; 0 where the damage concerns no entry
	Offset int64  // its byte offset in Path; -1 where that cannot be told
	Good   uint64 // the last good entry before the damage; 0 if there is none
	Why    string // what does not add up
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("journal%s: damaged%s: %s; %s", inPath(e.Path), e.position(), e.Why, e.goodPart())
}

// TrimmedError says that what was asked for was dropped from the beginning of the log.
type TrimmedError struct {
	Last uint64 // the last entry that was dropped
	At   int64  // when it happened, in unix nanoseconds
}

func (e *TrimmedError) Error() string {
	return fmt.Sprintf("journal: what happened up to %s is not kept any more; the log begins with entry %d",
		time.Unix(0, e.At).UTC().Format(time.RFC3339), e.Last+1)
}

// VersionError says that a newer version wrote the journal.
type VersionError struct {
	Path  string
	Found int // the format of the journal
	Known int // the newest format that this program knows
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("journal%s: written in format %d by a newer version, this one knows up to %d; use the newer version",
		inPath(e.Path), e.Found, e.Known)
}

func inPath(path string) string {
	if path == "" {
		return ""
	}
	return " " + path
}

func (e *CorruptError) position() string {
	switch {
	case e.Seq == 0:
		return ""
	case e.Offset < 0:
		return fmt.Sprintf(" at entry %d", e.Seq)
	}
	return fmt.Sprintf(" at entry %d (byte %d)", e.Seq, e.Offset)
}

func (e *CorruptError) goodPart() string {
	if e.Good == 0 {
		return "no entry before it is good"
	}
	return fmt.Sprintf("entries up to %d are good", e.Good)
}
