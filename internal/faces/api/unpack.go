package api

import (
	"compress/gzip"
	"errors"
	"io"

	"connectrpc.com/connect"
)

// How much a request may grow when it is unpacked: by so many times, beyond what is small
// anyway. Text of this API shrinks to a tenth or a thirtieth; a thousandth is an attack.
const (
	mostGrowth = 200
	freeGrowth = 64 << 10
)

var errGrows = errors.New("the request is packed too tightly: it grows more than 200 times; send it as it is")

// withBoundedGzip is gzip that stops to unpack what grows beyond all measure, and what is
// larger than any request may be.
func withBoundedGzip() connect.HandlerOption {
	return connect.WithCompression("gzip",
		func() connect.Decompressor { return &unpacking{} },
		func() connect.Compressor { return gzip.NewWriter(io.Discard) },
	)
}

// unpacking unpacks one request after another.
type unpacking struct {
	from  packed
	gzip  gzip.Reader
	given int64
}

// packed counts what is read of a packed request.
type packed struct {
	io.Reader
	read int64
}

// Read reads more of it. It offers no single bytes, so gzip reads ahead by its buffer.
func (p *packed) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	p.read += int64(n)
	return n, err
}

// Reset begins another request.
func (u *unpacking) Reset(r io.Reader) error {
	u.from, u.given = packed{Reader: r}, 0
	return u.gzip.Reset(&u.from)
}

// Read unpacks more of the request.
func (u *unpacking) Read(b []byte) (int, error) {
	n, err := u.gzip.Read(b)
	u.given += int64(n)
	if u.given > bulkRequest+freeGrowth || u.given > freeGrowth+mostGrowth*u.from.read {
		return 0, errGrows
	}
	return n, err
}

// Close ends the request.
func (u *unpacking) Close() error { return u.gzip.Close() }
