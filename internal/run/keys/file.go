package keys

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
)

// A part's file is a row of blocks, each of the records that follow those of the one before:
//
//	magic "MKEY", the first record uint64, the last uint64, the moment before the first int64, the
//	moment of the last int64, the CRC of what the log holds of the last uint32, how many keys uint32,
//	CRC32C of all that and the keys uint32, then for each key its tag uint32 and the number of its
//	record, counted from the first of the block, uint32. Little endian.
const (
	magic      = "MKEY"
	headBytes  = 4 + 8 + 8 + 8 + 8 + 4 + 4 + 4
	blockKeys  = 4096    // a block has no more
	blockReach = 1 << 16 // nor records, so that few are read again after a crash
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// file is where an index is kept; the zero value is nowhere.
type file struct {
	dir   string // "": nowhere
	part  place  // whose file is written to
	from  uint64 // the first record of the block that is being gathered
	since int64  // the moment before it
	keys  []byte // of that block
	err   error  // why nothing is kept any more
}

// block is one as it was read.
type block struct {
	first, last uint64
	since, at   int64
	check       uint32 // of what the log holds of the last record
	keys        []byte
}

// Open reads the index in a folder, which it makes; "" is an index that is not kept. In what the
// log holds of a record it looks by entry: nil, if there is no such record. What cannot be
// used is removed.
func Open(dir string, entry func(seq uint64) []byte) (*Index, error) {
	x := &Index{file: file{dir: dir}}
	if dir == "" {
		return x, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	check := x.load()
	if x.end == 0 || crc32.Checksum(entry(x.end), castagnoli) != check {
		x.Begin(0, 0)
		return x, nil
	}
	x.data = entry(x.end)
	x.file.begin(x.end+1, x.at)
	return x, nil
}

// load takes in what the files hold without a gap, and cuts off the rest. It returns the checksum of
// what the log holds of the last record.
func (x *Index) load() (check uint32) {
	places := x.file.parts()
	for i, at := range places {
		name := x.file.name(at)
		data, err := os.ReadFile(name)
		good := 0
		for err == nil && good < len(data) {
			b, n := parse(data[good:])
			if n == 0 || x.end > 0 && b.first != x.end+1 {
				break
			}
			x.take(at, b)
			check, good = b.check, good+n
		}
		if err == nil && good == len(data) {
			continue
		}
		if os.Truncate(name, int64(good)) != nil {
			_ = os.Remove(name)
		}
		for _, later := range places[i+1:] {
			x.file.remove(later)
		}
		break
	}
	return check
}

func (x *Index) take(at place, b block) {
	if n := len(x.parts); n == 0 || x.parts[n-1].place != at {
		x.open(at, b.first, b.since)
	}
	p := x.parts[len(x.parts)-1]
	for k := b.keys; len(k) > 0; k = k[8:] {
		p.add(binary.LittleEndian.Uint32(k), b.first+uint64(binary.LittleEndian.Uint32(k[4:])))
	}
	x.end, x.at, x.file.part = b.last, b.at, at
}

// parse reads the block that data begins with, and how long it is; 0: it is none.
func parse(data []byte) (b block, n int) {
	if len(data) < headBytes || string(data[:4]) != magic {
		return b, 0
	}
	le := binary.LittleEndian
	count := int(le.Uint32(data[40:]))
	if count > blockKeys || len(data) < headBytes+8*count {
		return b, 0
	}
	b = block{
		first: le.Uint64(data[4:]), last: le.Uint64(data[12:]), since: int64(le.Uint64(data[20:])), at: int64(le.Uint64(data[28:])),
		check: le.Uint32(data[36:]), keys: data[headBytes : headBytes+8*count],
	}
	if crc32.Update(crc32.Checksum(data[:44], castagnoli), castagnoli, b.keys) != le.Uint32(data[44:]) {
		return b, 0
	}
	return b, headBytes + 8*count
}

// Flush writes what was not written yet. An error says why nothing is kept any more: the next start
// gathers it from the log.
func (x *Index) Flush() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.flush()
	return x.file.err
}

func (x *Index) flush() {
	f := &x.file
	if f.dir == "" || f.err != nil || x.end < f.from || len(x.parts) == 0 {
		return
	}
	le := binary.LittleEndian
	b := append(make([]byte, 0, headBytes+len(f.keys)), magic...)
	b = le.AppendUint64(le.AppendUint64(b, f.from), x.end)
	b = le.AppendUint64(le.AppendUint64(b, uint64(f.since)), uint64(x.at))
	b = le.AppendUint32(le.AppendUint32(b, crc32.Checksum(x.data, castagnoli)), uint32(len(f.keys)/8))
	b = le.AppendUint32(b, crc32.Update(crc32.Checksum(b, castagnoli), castagnoli, f.keys))
	f.err = f.append(append(b, f.keys...))
	f.begin(x.end+1, x.at)
}

func (f *file) append(block []byte) error {
	to, err := os.OpenFile(f.name(f.part), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = to.Write(block)
	return errors.Join(err, to.Close())
}

// begin begins a block.
func (f *file) begin(from uint64, since int64) { f.from, f.since, f.keys = from, since, f.keys[:0] }

// turn begins a part.
func (f *file) turn(to place) { f.part = to }

// note adds a key to the block.
func (f *file) note(tag uint32, seq uint64) {
	if f.dir != "" && f.err == nil {
		f.keys = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(f.keys, tag), uint32(seq-f.from))
	}
}

// full says whether the block is to be written.
func (f *file) full(end uint64) bool {
	return f.dir != "" && (len(f.keys) >= 8*blockKeys || end-f.from >= blockReach)
}

// name is that of a part's file. The first of a day has the name that it has where a day is one part.
func (f *file) name(p place) string {
	name := fmt.Sprintf("day-%06d.keys", p.day)
	if p.nth > 0 {
		name = fmt.Sprintf("day-%06d-%d.keys", p.day, p.nth)
	}
	return filepath.Join(f.dir, name)
}

// parts lists those that have files, the oldest first.
func (f *file) parts() (list []place) {
	names, _ := os.ReadDir(f.dir)
	for _, n := range names {
		var p place
		if _, err := fmt.Sscanf(n.Name(), "day-%d-%d.keys", &p.day, &p.nth); err != nil {
			p.nth = 0
			_, _ = fmt.Sscanf(n.Name(), "day-%d.keys", &p.day)
		}
		if filepath.Base(f.name(p)) == n.Name() {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, place.compare)
	return list
}

// remove lets a part go.
func (f *file) remove(p place) {
	if f.dir != "" {
		_ = os.Remove(f.name(p))
	}
}

// clear lets all go.
func (f *file) clear() {
	if f.dir == "" {
		return
	}
	for _, p := range f.parts() {
		f.remove(p)
	}
}
