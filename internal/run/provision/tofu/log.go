package tofu

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// mostLog bounds the log of a run, in bytes.
const mostLog = 8 << 20

// log writes what the program says to a file, line by line, without secrets.
type log struct {
	mu   sync.Mutex
	file *os.File
	mask func(string) string
	rest []byte // of a line that is not whole yet
	size int64
}

func openLog(path string, mask func(string) string) (*log, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	l := &log{file: f, mask: mask}
	if info, err := f.Stat(); err == nil {
		l.size = info.Size()
	}
	return l, nil
}

// Write keeps whole lines. It never fails: a log that cannot be written stops no apply.
func (l *log) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, data...)
	for {
		at := bytes.IndexByte(l.rest, '\n')
		if at < 0 {
			return len(data), nil
		}
		l.line(l.rest[:at+1])
		l.rest = l.rest[at+1:]
	}
}

func (l *log) line(text []byte) {
	if l.size < mostLog {
		n, _ := l.file.WriteString(l.mask(string(text)))
		l.size += int64(n)
	}
}

func (l *log) say(format string, args ...any) { _, _ = fmt.Fprintf(l, format+"\n", args...) }

func (l *log) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.rest) > 0 {
		l.line(append(l.rest, '\n'))
		l.rest = nil
	}
	_ = l.file.Close()
}
