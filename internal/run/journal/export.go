package journal

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// An export is a log as one stream of bytes, which this version and later ones read:
//
//	magic, then for each entry Seq uint64, At int64, the length of Data uint32, Data, and
//	the chained checksum uint32; after the last a Seq of 0, the last Seq and its checksum
//	again. Little endian.
const (
	exportMagic = "MUSTLOG2"
	earlier     = "MUSTLOG1" // the same; its entries are not packed
)

// maxExported is the most bytes that one entry of an export may hold.
const maxExported = 256 << 20

// Export writes a log, and returns its last sequence number.
func Export(ctx context.Context, to io.Writer, from Journal, progress func(seq uint64)) (last uint64, err error) {
	w := bufio.NewWriterSize(to, 1<<16)
	_, _ = w.WriteString(exportMagic) // an error is kept until Flush
	var sum uint32
	err = from.Read(ctx, 1, func(e Entry) error {
		sum, last = Sum(sum, e), e.Seq
		var head [20]byte
		binary.LittleEndian.PutUint64(head[0:], e.Seq)
		binary.LittleEndian.PutUint64(head[8:], uint64(e.At))
		binary.LittleEndian.PutUint32(head[16:], uint32(len(e.Data)))
		_, _ = w.Write(head[:])
		_, _ = w.Write(e.Data)
		_, err := w.Write(binary.LittleEndian.AppendUint32(nil, sum))
		if last%copyEntries == 0 {
			progress(last)
		}
		return err
	})
	if err == nil {
		end := binary.LittleEndian.AppendUint64(make([]byte, 8), last)
		_, err = w.Write(binary.LittleEndian.AppendUint32(end, sum))
	}
	return last, errors.Join(err, w.Flush())
}

// Import appends an export to an empty log. A stream that was cut or changed gives an error
// that names the place; what precedes it is kept.
func Import(ctx context.Context, to Journal, from io.Reader, progress func(seq uint64)) (last uint64, err error) {
	if last, _, err = to.Last(ctx); err != nil || last > 0 {
		return last, errors.Join(err, fmt.Errorf("journal: it holds %d entries; import into an empty one", last))
	}
	r := bufio.NewReaderSize(from, 1<<16)
	magic := make([]byte, len(exportMagic))
	if _, err := io.ReadFull(r, magic); err != nil || string(magic) != exportMagic && string(magic) != earlier {
		return 0, errors.New("journal: this is no export of a journal; muster journal export writes one")
	}
	var sum uint32
	var group []Entry
	size := 0
	for end := false; !end; {
		var e Entry
		if e, end, err = readExported(r, &sum, last+uint64(len(group))); err != nil {
			return last, err
		}
		if !end {
			group, size = append(group, e), size+len(e.Data)
		}
		if end || len(group) >= copyEntries || size >= copyBytes {
			if err := to.Append(ctx, group); err != nil {
				return last, err
			}
			last += uint64(len(group))
			group, size = nil, 0
			progress(last)
		}
	}
	return last, nil
}

// readExported reads the entry after the one numbered before; end says that there is none.
func readExported(r io.Reader, sum *uint32, before uint64) (e Entry, end bool, err error) {
	wrong := func(why string) error {
		return &CorruptError{Seq: before + 1, Offset: -1, Good: before, Why: "the export " + why}
	}
	var head [20]byte
	if _, err := io.ReadFull(r, head[:8]); err != nil {
		return e, false, wrong("breaks off")
	}
	if e.Seq = binary.LittleEndian.Uint64(head[:]); e.Seq == 0 {
		if _, err := io.ReadFull(r, head[8:]); err != nil {
			return e, false, wrong("breaks off")
		}
		if binary.LittleEndian.Uint64(head[8:]) != before || binary.LittleEndian.Uint32(head[16:]) != *sum {
			return e, false, wrong("ends where it should not")
		}
		return e, true, nil
	}
	if _, err := io.ReadFull(r, head[8:]); err != nil {
		return e, false, wrong("breaks off")
	}
	e.At = int64(binary.LittleEndian.Uint64(head[8:]))
	n := binary.LittleEndian.Uint32(head[16:])
	if n > maxExported || e.Seq != before+1 {
		return e, false, wrong("is not as it was written")
	}
	data := make([]byte, n+4)
	if _, err := io.ReadFull(r, data); err != nil {
		return e, false, wrong("breaks off")
	}
	e.Data = data[:n:n]
	if *sum = Sum(*sum, e); *sum != binary.LittleEndian.Uint32(data[n:]) {
		return e, false, wrong("is not as it was written: a checksum is wrong")
	}
	return e, false, nil
}
