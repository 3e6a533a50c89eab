package audit

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// The files of a log in its folder.
const (
	logFile = "audit.jsonl"
	keyFile = "audit.key"
)

// Bounds that keep a flood from filling the disk.
const (
	window    = time.Minute // the same within it is counted
	mostKept  = 100         // refusals for each second; what is beyond is counted
	mostOfOne = 60          // of them of one caller for each minute
	mostSame  = 4096        // things that are counted at a time
	maxText   = 1024        // of each text of an entry
	// maxLine is the longest line that is read: texts had no bound once.
	maxLine = 1 << 20
)

// Log is the record of who did what. Its methods may be called from several goroutines.
type Log struct {
	path string
	key  []byte
	now  func() time.Time

	mu      sync.Mutex
	file    *os.File
	seq     uint64
	code    string // of the last line
	head    Entry  // the last one; Version 0: none
	counted map[same]*count
	second  int64
	kept    int
	minute  time.Time
	callers map[string]int // lines of the refusals of each caller in this minute
	dropped uint64
	failed  error
}

// count is how often something happened again since its line was written.
type count struct {
	entry Entry
	since time.Time
	times uint64
}

// Open opens the log in a folder, and makes one with a new key where there is none. The end
// of the log is proven: the error says where it was changed.
func Open(folder string, now func() time.Time) (*Log, error) {
	if now == nil {
		now = time.Now
	}
	l := &Log{path: filepath.Join(folder, logFile), now: now, counted: map[same]*count{}, callers: map[string]int{}}
	var err error
	if l.key, err = readKey(filepath.Join(folder, keyFile)); err != nil {
		return nil, fmt.Errorf("key of the audit log: %w", err)
	}
	if l.file, err = os.OpenFile(l.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600); err != nil {
		return nil, fmt.Errorf("audit log: %w", err)
	}
	if err := l.find(); err != nil {
		_ = l.file.Close()
		return nil, err
	}
	return l, nil
}

func readKey(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		var bits [32]byte
		_, _ = rand.Read(bits[:]) // never fails: crypto/rand ends the process instead
		text = []byte(hex.EncodeToString(bits[:]) + "\n")
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return nil, err
		}
		_, failed := f.Write(text)
		if err := errors.Join(failed, f.Sync(), f.Close()); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, err
	}
	return hex.DecodeString(strings.TrimSpace(string(text)))
}

// find goes through the log to its end. A last line that was cut off by a crash is removed.
func (l *Log) find() error {
	var good int64
	err := l.walk(func(e Entry, code string, end int64) error {
		l.seq, l.code, good = e.Seq, code, end
		l.names(e)
		return nil
	})
	var cut *cutError
	if errors.As(err, &cut) {
		return l.file.Truncate(good)
	}
	if errors.As(err, new(*BrokenError)) {
		return fmt.Errorf("%w: the file is %s. Put back a copy of it with the audit.key beside it, or move it away and keep it as evidence: then a new log begins", err, l.path)
	}
	return err
}

// cutError says that the last line has no end.
type cutError struct{ seq uint64 }

func (c *cutError) Error() string { return fmt.Sprintf("audit log: entry %d has no end", c.seq) }

// BrokenError says where a log is not as it was written.
type BrokenError struct {
	Seq uint64
	Why string
}

func (b *BrokenError) Error() string { return fmt.Sprintf("audit log: entry %d %s", b.Seq, b.Why) }

// walk calls fn for each entry, proven, with its code and where its line ends in the file.
func (l *Log) walk(fn func(e Entry, code string, end int64) error) error {
	f, err := os.Open(l.path)
	if err != nil {
		return fmt.Errorf("audit log: %w", err)
	}
	defer func() { _ = f.Close() }()
	r, before, seq, at := bufio.NewReaderSize(f, maxLine), "", uint64(0), int64(0)
	for {
		text, err := r.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF) && len(text) == 0:
			return nil
		case errors.Is(err, io.EOF):
			return &cutError{seq + 1}
		case err != nil:
			return &BrokenError{seq + 1, "is longer than any that was written"}
		}
		e, is, why := read(l.key, before, seq+1, text)
		if why != "" {
			return &BrokenError{seq + 1, why}
		}
		before, seq, at = is, e.Seq, at+int64(len(text))
		if err := fn(e, is, at); err != nil {
			return err
		}
	}
}

// read proves one line.
func read(key []byte, before string, seq uint64, text []byte) (e Entry, is, why string) {
	var in line
	if err := json.Unmarshal(text, &in); err != nil {
		return e, "", "is no entry"
	}
	if code(key, before, in.Entry) != in.Code {
		return e, "", "is not as it was written, or one before it was removed"
	}
	if err := json.Unmarshal(in.Entry, &e); err != nil || e.Seq != seq {
		return e, "", "does not follow the one before it"
	}
	return e, in.Code, ""
}

// Note writes an entry down; its number and moment are set here. The same thing again within
// a minute is counted.
func (l *Log) Note(e Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.At = l.now().UTC()
	for _, text := range []*string{&e.Actor, &e.Source, &e.Token, &e.Call, &e.Text} { // callers choose most of them
		*text = bound(*text)
	}
	l.turn(e.At)
	switch {
	case e.Kind == Head || e.Kind == Cut:
	case l.again(e):
		return
	case e.Kind.cheap() && l.beyond(e):
		delete(l.counted, e.same())
		return
	}
	l.write(e)
}

// bound is a text that is no longer than a line has room for.
func bound(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "…"
}

// again counts an entry that was written within the window.
func (l *Log) again(e Entry) bool {
	is := e.same()
	if c := l.counted[is]; c != nil && e.At.Sub(c.since) < window {
		c.times++
		return true
	}
	l.tell(is)
	if len(l.counted) >= mostSame {
		for old, c := range l.counted {
			if e.At.Sub(c.since) >= window {
				l.tell(old)
			}
		}
	}
	if len(l.counted) < mostSame {
		l.counted[is] = &count{entry: e, since: e.At}
	}
	return false
}

// tell writes how often something happened again, and forgets it.
func (l *Log) tell(is same) {
	c := l.counted[is]
	delete(l.counted, is)
	if c != nil && c.times > 0 {
		c.entry.At, c.entry.Times = l.now().UTC(), c.times
		l.write(c.entry)
	}
}

// beyond counts a refusal above the limit of its caller, or of this second. What was done is kept, whatever is refused
// meanwhile: no flood hides it.
func (l *Log) beyond(e Entry) bool {
	who := e.caller()
	if l.callers[who] >= mostOfOne || l.kept >= mostKept {
		l.dropped++
		return true
	}
	l.callers[who]++
	l.kept++
	return false
}

// turn begins another second, or minute, in which refusals are counted.
func (l *Log) turn(now time.Time) {
	if now.Sub(l.minute) >= window {
		l.minute = now
		clear(l.callers)
	}
	if s := now.Unix(); s != l.second {
		l.second, l.kept = s, 0
		l.tellDropped(now)
	}
}

// tellDropped writes how many refusals were counted alone.
func (l *Log) tellDropped(now time.Time) {
	if n := l.dropped; n > 0 {
		l.dropped = 0
		l.write(Entry{At: now, Kind: Dropped, Text: "refusals beyond the limits of their callers or of a second", Times: n})
	}
}

func (l *Log) write(e Entry) {
	e.Seq = l.seq + 1
	data, err := json.Marshal(e)
	if err != nil {
		panic(err) // its fields are texts and numbers
	}
	is := code(l.key, l.code, data)
	text, err := json.Marshal(line{data, is})
	if err != nil {
		panic(err) // as above
	}
	if _, err := l.file.Write(append(text, '\n')); err != nil {
		l.failed = err
		return
	}
	l.seq, l.code = e.Seq, is
	l.names(e)
}

// names keeps the last entry that names the journal as it is.
func (l *Log) names(e Entry) {
	switch {
	case e.Kind == Head:
		l.head = e
	case e.Kind == Cut && l.head.Version > e.Version:
		l.head = Entry{} // the next one is made from the beginning
	}
}

// Flush writes what was only counted so far, and makes all of it durable. The error is the
// first since the last call.
func (l *Log) Flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now().UTC()
	l.turn(now)
	for is, c := range l.counted {
		if now.Sub(c.since) >= window {
			l.tell(is)
		}
	}
	err := errors.Join(l.failed, l.file.Sync())
	l.failed = nil
	return err
}

// Close ends the log, with what was counted.
func (l *Log) Close() error {
	l.mu.Lock()
	for is := range l.counted {
		l.tell(is)
	}
	l.tellDropped(l.now().UTC())
	l.mu.Unlock()
	return errors.Join(l.Flush(), l.file.Close())
}

// LastHead is the last head in the log; ok is false where there is none yet.
func (l *Log) LastHead() (version uint64, chain Link, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.head.Version == 0 {
		return 0, Link{}, false
	}
	chain, err := ParseLink(l.head.Chain)
	return l.head.Version, chain, err == nil
}

// Entries are entries in order, from a number on, or the last ones where that is 0; next is
// the number to go on from, 0 for the end.
func (l *Log) Entries(from uint64, limit int) (list []Entry, next uint64, err error) {
	l.mu.Lock()
	last := l.seq
	l.mu.Unlock()
	if from == 0 {
		from = last - min(last, uint64(limit)) + 1
	}
	err = l.walk(func(e Entry, _ string, _ int64) error {
		switch {
		case e.Seq < from:
		case len(list) == limit:
			next = e.Seq
			return errEnough
		default:
			list = append(list, e)
		}
		return nil
	})
	if errors.Is(err, errEnough) || errors.As(err, new(*cutError)) { // a line that is being written
		err = nil
	}
	return list, next, err
}

var errEnough = errors.New("enough")
