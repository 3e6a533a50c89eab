package sqlite

import (
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"slices"

	"github.com/muster-fleet/muster/internal/run/journal"
)

// leaf is a page that holds rows of a table.
type leaf struct {
	page  uint32
	first uint64 // the smallest sequence number, if these are entries
}

// tableLeaf is the first byte of such a page.
const tableLeaf = 0x0d

// readLeaves calls fn for every entry after the link that the leaves of the file hold
// without a gap, proving each, and returns the last.
func readLeaves(path string, last journal.Link, fn func(journal.Entry) error) (journal.Link, error) {
	p, err := openPages(path)
	if errors.Is(err, fs.ErrNotExist) {
		return last, nil
	}
	if err != nil {
		return last, err
	}
	defer p.close()
	list, err := p.leaves()
	if err != nil {
		return last, err
	}
	b := make([]byte, p.size)
	for _, l := range list {
		if l.first > last.Seq+1 {
			break
		}
		if err := p.read(l.page, b); err != nil {
			return last, err
		}
		if last, err = p.proven(b, last, fn); err != nil {
			return last, err
		}
	}
	return last, nil
}

// proven calls fn for the entries of a leaf that follow a link, and returns the last.
func (p *pages) proven(leaf []byte, last journal.Link, fn func(journal.Entry) error) (journal.Link, error) {
	for i := range cells(leaf) {
		e, sum, ok := p.entry(leaf, i)
		if !ok || e.Seq <= last.Seq {
			continue
		}
		if next, why := last.Prove(e, sum); why == "" {
			if err := fn(e); err != nil {
				return last, err
			}
			last = next
		}
	}
	return last, nil
}

// leaves lists them in the order of their entries.
func (p *pages) leaves() (list []leaf, err error) {
	b := make([]byte, p.size)
	for page := uint32(2); page <= p.count; page++ { // the first holds the schema
		if err := p.read(page, b); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			continue // the file was cut
		} else if err != nil {
			return nil, err
		}
		if b[0] != tableLeaf {
			continue
		}
		for i := range cells(b) {
			if e, _, ok := p.entry(b, i); ok {
				list = append(list, leaf{page, e.Seq})
				break
			}
		}
	}
	slices.SortFunc(list, func(a, b leaf) int { return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.page, b.page)) })
	return list, nil
}

// cells is how many rows a leaf says it holds.
func cells(b []byte) int {
	return min(int(binary.BigEndian.Uint16(b[3:])), (len(b)-8)/2)
}

// entry reads a row of a leaf; ok is false where it is none of an entry.
func (p *pages) entry(b []byte, cell int) (e journal.Entry, sum int64, ok bool) {
	at := int(binary.BigEndian.Uint16(b[8+2*cell:]))
	if at >= p.usable {
		return e, 0, false
	}
	row := b[at:p.usable]
	length, n := varint(row)
	seq, m := varint(row[n:])
	if n == 0 || m == 0 || length > maxData+64 {
		return e, 0, false
	}
	payload, ok := p.payload(row[n+m:], int(length))
	if !ok {
		return e, 0, false
	}
	e.Seq = seq
	ok = decodeRow(payload, &e, &sum)
	return e, sum, ok
}

// payload puts together what a row holds here and on further pages.
func (p *pages) payload(b []byte, length int) (payload []byte, ok bool) {
	here := p.here(length)
	if here > len(b) || here < length && here+4 > len(b) {
		return nil, false
	}
	payload = slices.Clone(b[:here])
	if here == length {
		return payload, true
	}
	page, next := make([]byte, p.size), binary.BigEndian.Uint32(b[here:])
	for len(payload) < length {
		if next == 0 || next > p.count || p.read(next, page) != nil {
			return nil, false
		}
		next = binary.BigEndian.Uint32(page)
		payload = append(payload, page[4:min(p.usable, 4+length-len(payload))]...)
	}
	return payload, true
}

// here is how many bytes of a row lie on its leaf; the rest lies on further pages.
func (p *pages) here(length int) int {
	most, least := p.usable-35, (p.usable-12)*32/255-23
	if length <= most {
		return length
	}
	if k := least + (length-least)%(p.usable-4); k <= most {
		return k
	}
	return least
}

// decodeRow reads what a row of the table entry holds beside its key.
func decodeRow(b []byte, e *journal.Entry, sum *int64) bool {
	head, n := varint(b)
	if n == 0 || head > uint64(len(b)) {
		return false
	}
	types, body := b[n:head], b[head:]
	var kinds []uint64
	for len(types) > 0 && len(kinds) < 5 {
		kind, n := varint(types)
		if n == 0 {
			return false
		}
		kinds, types = append(kinds, kind), types[n:]
	}
	if len(kinds) != 4 || kinds[0] != 0 || kinds[3] < 12 || kinds[3]%2 != 0 {
		return false
	}
	for i, into := range []*int64{&e.At, sum} {
		n, ok := integer(kinds[i+1], body, into)
		if !ok {
			return false
		}
		body = body[n:]
	}
	e.Data = body
	return uint64(len(body)) == (kinds[3]-12)/2
}

// integer reads a whole number of a kind; it returns how many bytes that took.
func integer(kind uint64, b []byte, into *int64) (n int, ok bool) {
	switch {
	case kind == 8 || kind == 9:
		*into = int64(kind - 8)
		return 0, true
	case kind == 0 || kind > 6:
		return 0, false
	}
	if n = []int{0, 1, 2, 3, 4, 6, 8}[kind]; n > len(b) {
		return 0, false
	}
	*into = int64(int8(b[0]))
	for _, x := range b[1:n] {
		*into = *into<<8 | int64(x)
	}
	return n, true
}

// varint reads SQLite's whole number of one to nine bytes; n is 0 where there is none.
func varint(b []byte) (v uint64, n int) {
	for n < 8 && n < len(b) {
		v = v<<7 | uint64(b[n]&0x7f)
		if n++; b[n-1] < 0x80 {
			return v, n
		}
	}
	if n == 8 && len(b) > 8 {
		return v<<8 | uint64(b[8]), 9
	}
	return 0, 0
}
