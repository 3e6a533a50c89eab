package journal

import (
	"encoding/binary"
	"hash/crc32"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Sum is the checksum of an entry: CRC32C over the checksum of the entry before
// it (0 before the first), Seq, At and Data. The chain makes an entry that was
// removed, reordered or taken from another log show, not only a changed one.
// Stored logs depend on it; it never changes within a format.
func Sum(prev uint32, e Entry) uint32 {
	var head [20]byte
	binary.LittleEndian.PutUint32(head[0:], prev)
	binary.LittleEndian.PutUint64(head[4:], e.Seq)
	binary.LittleEndian.PutUint64(head[12:], uint64(e.At))
	return crc32.Update(crc32.Update(0, castagnoli, head[:]), castagnoli, e.Data)
}

// CheckOrder returns a *FencedError unless the entries are numbered next,
// next+1, and so on.
func CheckOrder(next uint64, entries []Entry) error {
	for i, e := range entries {
		if want := next + uint64(i); e.Seq != want {
			return &FencedError{Next: want, Got: e.Seq}
		}
	}
	return nil
}
