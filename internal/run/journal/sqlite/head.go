package sqlite

import (
	"encoding/binary"
	"hash/crc32"
	"os"
)

// head is the tripwire beside the log: the last acknowledged sequence number,
// with a checksum, in a file of its own. It is written after each append and
// not synced, so it may lag behind but is never ahead of what is durable: a log
// that ends before it has lost acknowledged entries. Losing the file itself
// loses only the alarm, so nothing here fails an operation.
type head struct{ file *os.File }

const headBytes = 12

func headPath(path string) string { return path + "-head" }

// readHead returns the sequence number in the file; 0 where it is missing or
// torn.
func readHead(path string) uint64 {
	b, err := os.ReadFile(headPath(path))
	if err != nil || len(b) != headBytes || crc32.ChecksumIEEE(b[:8]) != binary.LittleEndian.Uint32(b[8:]) {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

func openHead(path string) head {
	f, err := os.OpenFile(headPath(path), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return head{}
	}
	return head{f}
}

func (h head) write(seq uint64) {
	if h.file == nil {
		return
	}
	var b [headBytes]byte
	binary.LittleEndian.PutUint64(b[:], seq)
	binary.LittleEndian.PutUint32(b[8:], crc32.ChecksumIEEE(b[:8]))
	_, _ = h.file.WriteAt(b[:], 0)
}

func (h head) close() {
	if h.file != nil {
		_ = h.file.Close()
	}
}
