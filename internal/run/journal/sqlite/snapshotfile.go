package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"slices"

	"github.com/muster-fleet/muster/internal/run/journal"
)

// A snapshot file is named by its sequence number and holds, little endian:
//
//	magic "MUSTSNP1", Seq uint64, At int64, the checksum of the entry Seq in
//	the log uint32, CRC32C of all that and the data uint32, then the data.
const (
	snapshotMagic  = "MUSTSNP1"
	snapshotHeader = len(snapshotMagic) + 8 + 8 + 4 + 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var errSnapshotDamaged = errors.New("the snapshot is damaged")

func snapshotDir(path string) string { return path + "-snapshots" }

func snapshotName(seq uint64) string { return fmt.Sprintf("%020d.snapshot", seq) }

// encodeHeader returns what stands before the data of a snapshot. sum ties it
// to the log that it was taken from.
func encodeHeader(s journal.Snapshot, sum uint32) []byte {
	b := append(make([]byte, 0, snapshotHeader), snapshotMagic...)
	b = binary.LittleEndian.AppendUint64(b, s.Seq)
	b = binary.LittleEndian.AppendUint64(b, uint64(s.At))
	b = binary.LittleEndian.AppendUint32(b, sum)
	return binary.LittleEndian.AppendUint32(b, snapshotSum(b, s.Data))
}

func snapshotSum(header, data []byte) uint32 {
	return crc32.Update(crc32.Update(0, castagnoli, header), castagnoli, data)
}

// decodeSnapshot proves a file's content and returns the snapshot and the
// checksum of its entry in the log.
func decodeSnapshot(b []byte) (s journal.Snapshot, sum uint32, err error) {
	if len(b) < snapshotHeader || !bytes.HasPrefix(b, []byte(snapshotMagic)) {
		return s, 0, errSnapshotDamaged
	}
	header, data := b[:snapshotHeader-4], b[snapshotHeader:]
	if snapshotSum(header, data) != binary.LittleEndian.Uint32(b[snapshotHeader-4:]) {
		return s, 0, errSnapshotDamaged
	}
	fields := header[len(snapshotMagic):]
	s.Seq = binary.LittleEndian.Uint64(fields)
	s.At = int64(binary.LittleEndian.Uint64(fields[8:]))
	s.Data = data
	return s, binary.LittleEndian.Uint32(fields[16:]), nil
}

// listSnapshots returns the sequence numbers of the snapshot files, ascending.
// Other files are left alone.
func listSnapshots(dir string) ([]uint64, error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var seqs []uint64
	for _, f := range files {
		var seq uint64
		if _, err := fmt.Sscanf(f.Name(), "%d.snapshot", &seq); err == nil && f.Name() == snapshotName(seq) {
			seqs = append(seqs, seq)
		}
	}
	slices.Sort(seqs)
	return seqs, nil
}
