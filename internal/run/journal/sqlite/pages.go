package sqlite

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"maps"
	"os"
)

// A salvage reads the pages of a file themselves where SQLite finds no way to them any more:
// one damaged page inside the tree of a table hides all leaves below it, though they are
// good. What is read so is trusted as little as all else: the chain proves it. The layout
// is that of https://www.sqlite.org/fileformat2.html, §1 and §4.

// pages are those of a journal: of its main file, or newer ones of its write-ahead log.
type pages struct {
	main, log *os.File // log is nil where there is none
	size      int      // bytes of a page
	usable    int      // of them, what SQLite uses
	count     uint32
	newer     map[uint32]int64 // by number of the page: where its last version begins in the log
}

const usualPage = 4096

func openPages(path string) (p *pages, err error) {
	p = &pages{newer: map[uint32]int64{}}
	if p.main, err = os.Open(path); err != nil {
		return nil, err
	}
	info, err := p.main.Stat()
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	p.readSizes()
	p.count = uint32(min(info.Size()/int64(p.size), 1<<31))
	if p.log, err = os.Open(path + "-wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(err, p.close())
	}
	if p.log != nil {
		p.readLog()
	}
	return p, nil
}

func (p *pages) close() error {
	err := p.main.Close()
	if p.log != nil {
		err = errors.Join(err, p.log.Close())
	}
	return err
}

// readSizes takes the usual ones where the file's header makes no sense.
func (p *pages) readSizes() {
	p.size, p.usable = usualPage, usualPage
	head := make([]byte, 24)
	if _, err := p.main.ReadAt(head, 0); err != nil {
		return
	}
	size := int(binary.BigEndian.Uint16(head[16:]))
	if size == 1 {
		size = 1 << 16
	}
	if reserved := int(head[20]); size >= 512 && size&(size-1) == 0 && size-reserved >= 480 {
		p.size, p.usable = size, size-reserved
	}
}

// The layout of a write-ahead log: a head, and frames of a head and a page each.
const (
	logHead   = 32
	frameHead = 24
	logMagic  = 0x377f0682 // its last bit says in which order of bytes checksums are made
)

// readLog finds the pages of transactions that were committed. The log ends where a checksum
// is wrong, as for SQLite.
func (p *pages) readLog() {
	head := make([]byte, logHead)
	if _, err := p.log.ReadAt(head, 0); err != nil {
		return
	}
	magic := binary.BigEndian.Uint32(head)
	if magic&^1 != logMagic || int(binary.BigEndian.Uint32(head[8:])) != p.size {
		return
	}
	sum := frameSum{order: binary.LittleEndian}
	if magic&1 == 1 {
		sum.order = binary.BigEndian
	}
	if sum.add(head[:24]); !sum.is(head[24:]) {
		return
	}
	frame, uncommitted := make([]byte, frameHead+p.size), map[uint32]int64{}
	for at := int64(logHead); ; at += int64(len(frame)) {
		if _, err := p.log.ReadAt(frame, at); err != nil || string(frame[8:16]) != string(head[16:24]) {
			return
		}
		sum.add(frame[:8])
		if sum.add(frame[frameHead:]); !sum.is(frame[16:]) {
			return
		}
		uncommitted[binary.BigEndian.Uint32(frame)] = at + frameHead
		if after := binary.BigEndian.Uint32(frame[4:]); after > 0 { // a commit
			maps.Copy(p.newer, uncommitted)
			p.count = after
			clear(uncommitted)
		}
	}
}

// frameSum is the checksum of a write-ahead log, over all of it up to here.
type frameSum struct {
	order  binary.ByteOrder
	s0, s1 uint32
}

func (f *frameSum) add(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		f.s0 += f.order.Uint32(b) + f.s1
		f.s1 += f.order.Uint32(b[4:]) + f.s0
	}
}

func (f *frameSum) is(b []byte) bool {
	return binary.BigEndian.Uint32(b) == f.s0 && binary.BigEndian.Uint32(b[4:]) == f.s1
}

// read fills b with a page.
func (p *pages) read(number uint32, b []byte) error {
	if at, ok := p.newer[number]; ok {
		_, err := p.log.ReadAt(b, at)
		return err
	}
	_, err := p.main.ReadAt(b, int64(number-1)*int64(p.size))
	return err
}
