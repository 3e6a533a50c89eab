package engine

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
	"runtime/debug"
	"strings"
)

// The first byte of a snapshot says how it is written: named and compact; compact, by versions that did
// not name themselves; or as JSON, by older ones, compressed or not (then it is a brace).
const (
	inNamed   = 'n'
	inCompact = 'c'
	inJSON    = 'z'
)

// stateFormat is that of the state. Raise it whenever a field of the state gets another meaning, or
// records lead to another state: snapshots of before are not used then, and the log is replayed. That
// fields came or went shows by itself.
const stateFormat = 1

// A named snapshot begins with its kind, the format as a varint, the length of the writer's name as a
// varint, and that name. What follows is compressed.

// nameSnapshot begins a snapshot.
func nameSnapshot(b *bytes.Buffer) {
	b.WriteByte(inNamed)
	who := writer()
	b.Write(binary.AppendUvarint(binary.AppendUvarint(nil, stateFormat), uint64(len(who))))
	b.WriteString(who)
}

// writer names this program and its version.
func writer() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "muster"
	}
	who := "muster " + info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && !strings.Contains(who, s.Value[:min(12, len(s.Value))]) {
			who += " " + s.Value[:min(12, len(s.Value))]
		}
	}
	return who
}

var errTorn = errors.New("the snapshot is torn")

// unname takes the beginning off a snapshot: what follows is compressed. Snapshots that do not say so are
// of format 1.
func unname(data []byte) (format uint64, who string, rest []byte, err error) {
	if len(data) == 0 {
		return 0, "", nil, errTorn
	}
	if data[0] != inNamed {
		return 1, "", data[1:], nil
	}
	data = data[1:]
	format, n := binary.Uvarint(data)
	if n <= 0 {
		return 0, "", nil, errTorn
	}
	data = data[n:]
	length, n := binary.Uvarint(data)
	if n <= 0 || length > uint64(len(data)-n) {
		return 0, "", nil, errTorn
	}
	return format, string(data[n : n+int(length)]), data[n+int(length):], nil
}

// SnapshotWriter is the program that made a snapshot, as far as that names it.
func SnapshotWriter(data []byte) string {
	if _, who, _, err := unname(data); err == nil && who != "" {
		return who
	}
	return "a version that did not name itself"
}

func inflate(compressed []byte) (string, error) {
	var plain strings.Builder
	plain.Grow(4 * len(compressed))
	_, err := io.Copy(&plain, flate.NewReader(bytes.NewReader(compressed)))
	return plain.String(), err
}
