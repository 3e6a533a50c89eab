package trace

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// source is a file's text, unpacked, with its last byte.
type source struct {
	r    io.Reader
	last byte
}

// unpack sees by its first bytes whether a stream is gzipped, and skips the byte
// order mark that some programs put in front of text.
func unpack(r io.Reader) (*source, error) {
	b := bufio.NewReader(r)
	if magic, _ := b.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, damage(err)
		}
		b = bufio.NewReader(z)
	}
	if mark, _ := b.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		if _, err := b.Discard(3); err != nil {
			return nil, damage(err)
		}
	}
	return &source{r: b}, nil
}

// Read reads on, and says of a broken stream what is broken.
func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if n > 0 {
		s.last = p[n-1]
	}
	if err != nil && err != io.EOF { //nolint:errorlint // io.Reader's end is this value itself
		err = damage(err)
	}
	return n, err
}

func damage(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errors.New("the gzip stream ends too early: the file is cut short")
	}
	return fmt.Errorf("the file cannot be read: %w", err)
}
