package journal

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"
)

// An export is a log as one stream of bytes, which this version and later ones read:
//
//	magic, then for each entry Seq uint64, At int64, the length of Data uint32, Data, and
//	the chained checksum uint32; after the last a Seq of 0, the last Seq and its checksum
//	again. Little endian.
//
// That of a log that lacks its beginning says so, and has its base before the entries: Seq, At, the
// length of Data, then Data itself, and the chained checksum, followed by the CRC32C of all that.
const (
	exportMagic = "MUSTLOG2"
	earlier     = "MUSTLOG1" // the same; its entries are not packed
	withBase    = "MUSTLOG3" // with a base
)

// maxExported is the most bytes that one entry of an export may hold.
const maxExported = 256 << 20

// Export writes a log, and returns its last sequence number.
func Export(ctx context.Context, to io.Writer, from Journal, progress func(seq uint64)) (last uint64, err error) {
	base, err := from.Base(ctx)
	if err != nil {
		return 0, err
	}
	w := bufio.NewWriterSize(to, 1<<16)
	exportHead(w, base)
	sum, last := base.Sum, base.Seq
	err = from.Read(ctx, base.Seq+1, func(e Entry) error {
		sum, last = Sum(sum, e), e.Seq
		_, err := w.Write(exported(e, sum))
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

// exported is an entry with its chained checksum, as an export has it.
func exported(e Entry, sum uint32) []byte {
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, 24+len(e.Data)), e.Seq)
	b = binary.LittleEndian.AppendUint64(b, uint64(e.At))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(e.Data)))
	return binary.LittleEndian.AppendUint32(append(b, e.Data...), sum)
}

// exportHead begins an export. An error is kept until Flush.
func exportHead(w *bufio.Writer, base Base) {
	if base.Seq == 0 {
		_, _ = w.WriteString(exportMagic)
		return
	}
	_, _ = w.WriteString(withBase)
	b := exported(Entry{Seq: base.Seq, At: base.At, Data: base.Data}, base.Sum)
	_, _ = w.Write(binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli)))
}

// readBase reads the base of an export.
func readBase(r io.Reader) (base Base, err error) {
	wrong := &CorruptError{Seq: 1, Offset: -1, Why: "the export's beginning is not as it was written"}
	head := make([]byte, 20)
	if _, err := io.ReadFull(r, head); err != nil {
		return base, wrong
	}
	n := binary.LittleEndian.Uint32(head[16:])
	if n > maxExported {
		return base, wrong
	}
	rest := make([]byte, n+8)
	if _, err := io.ReadFull(r, rest); err != nil {
		return base, wrong
	}
	if crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, rest[:n+4]) != binary.LittleEndian.Uint32(rest[n+4:]) {
		return base, wrong
	}
	base.Seq, base.At = binary.LittleEndian.Uint64(head), int64(binary.LittleEndian.Uint64(head[8:]))
	base.Sum, base.Data = binary.LittleEndian.Uint32(rest[n:]), rest[:n:n]
	return base, nil
}

// begins says whether an export begins so.
func begins(head []byte) bool {
	return slices.Contains([]string{exportMagic, earlier, withBase}, string(head))
}

// Exported says whether a file begins as an export does.
func Exported(file string) (bool, error) {
	f, err := os.Open(file)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, len(exportMagic))
	_, err = io.ReadFull(f, head)
	return err == nil && begins(head), nil
}

// Import appends an export to an empty log. A stream that was cut or changed gives an error
// that names the place; what precedes it is kept.
func Import(ctx context.Context, to Journal, from io.Reader, progress func(seq uint64)) (last uint64, err error) {
	if last, _, err = to.Last(ctx); err != nil || last > 0 {
		return last, errors.Join(err, fmt.Errorf("journal: it holds %d entries; import into an empty one", last))
	}
	r := bufio.NewReaderSize(from, 1<<16)
	magic := make([]byte, len(exportMagic))
	if _, err := io.ReadFull(r, magic); err != nil || !begins(magic) {
		return 0, errors.New("journal: this is no export of a journal; muster journal export writes one")
	}
	var base Base
	if string(magic) == withBase {
		if base, err = readBase(r); err == nil {
			err = to.Begin(ctx, base)
		}
		if err != nil {
			return 0, err
		}
	}
	last, sum := base.Seq, base.Sum
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
