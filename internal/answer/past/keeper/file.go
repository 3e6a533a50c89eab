package keeper

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/muster-fleet/muster/internal/answer/past"
	"github.com/muster-fleet/muster/internal/run/wholefile"
)

// A file of notes is this header, the SHA-256 of what follows it, the number of the record up to
// which the notes have heard, and the notes: a gob, deflated.
//
// The header says how the rest is to be read. Raise its number whenever past.Notes changes its
// meaning: older notes are then gathered anew, as far as the log goes back. Of a log that was
// trimmed they are the only ones: see to it that they can still be read.
const (
	header      = "muster past 7\n"
	olderHeader = "muster past 6\n" // see past.OlderSums
)

const (
	seqBytes  = 8 // the number of a record, little endian
	headBytes = len(header) + sha256.Size + seqBytes
)

var errOtherVersion = errors.New("its notes are of another version")

// Heard is up to which record the notes in a file have heard; 0 where there are none.
func Heard(path string) uint64 {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	head := make([]byte, headBytes)
	if _, err := io.ReadFull(f, head); err != nil || !known(head) {
		return 0
	}
	return binary.LittleEndian.Uint64(head[headBytes-seqBytes:])
}

// known says whether notes that begin so can be read.
func known(data []byte) bool {
	return len(data) >= headBytes && (bytes.HasPrefix(data, []byte(header)) || bytes.HasPrefix(data, []byte(olderHeader)))
}

// load reads notes that save wrote.
func load(path string) (n past.Notes, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return n, err
	}
	return Unpack(data)
}

// Unpack reads what Pack wrote, also that of version 6.
func Unpack(data []byte) (n past.Notes, err error) {
	if !known(data) {
		return n, errOtherVersion
	}
	sum, rest := data[len(header):len(header)+sha256.Size], data[len(header)+sha256.Size:]
	if is := sha256.Sum256(rest); !bytes.Equal(is[:], sum) {
		return n, errors.New("its notes are damaged")
	}
	n = past.New().Notes // gob leaves out what is empty
	err = read(rest[seqBytes:], &n)
	if err == nil && bytes.HasPrefix(data, []byte(olderHeader)) {
		var older past.OlderSums
		err = read(rest[seqBytes:], &older)
		n.TakeOver(older)
	}
	return n, err
}

func read(notes []byte, into any) error {
	if err := gob.NewDecoder(flate.NewReader(bytes.NewReader(notes))).Decode(into); err != nil {
		return fmt.Errorf("its notes cannot be read: %w", err)
	}
	return nil
}

// save writes notes into a file of that name, whole or not at all.
func save(path string, n past.Notes) error {
	data, err := Pack(n)
	if err != nil {
		return err
	}
	return wholefile.WriteBytes(path, data)
}

// Pack writes notes, with what proves them.
func Pack(n past.Notes) ([]byte, error) {
	var b bytes.Buffer
	b.Write(binary.LittleEndian.AppendUint64(nil, n.Seq))
	z, err := flate.NewWriter(&b, flate.BestSpeed)
	if err == nil {
		err = errors.Join(gob.NewEncoder(z).Encode(n), z.Close())
	}
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b.Bytes())
	return slices.Concat([]byte(header), sum[:], b.Bytes()), nil
}
