package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/muster-fleet/muster/internal/answer/retain"
	"github.com/muster-fleet/muster/internal/run/wholefile"
	"github.com/muster-fleet/muster/internal/state/event"
)

// The file of the history is a shortcut and never needed. It holds, little endian:
//
//	the first line, the SHA-256 of the rest, the number of the record to go on from uint64, the
//	SHA-256 of what the log holds of the one before, and for each record that the history is
//	made of its length uint32 and its text.
const historyHeader = "muster history 2\n"

// begin takes in what the file says, or else what the log begins with.
func (h *history) begin(ctx context.Context, e Engine) error {
	if h.load(ctx, e); h.next > 1 {
		return nil
	}
	h.gathered = nothingGathered()
	first, parts, err := e.Base(ctx)
	if err != nil {
		return err
	}
	for _, record := range retain.Records(parts[HistoryPart]) {
		r, err := event.Decode(record)
		if err != nil {
			return err
		}
		h.add(r, record)
	}
	h.next = first.Seq + 1
	return nil
}

// load takes in what the file says, if it is whole and of this log.
func (h *history) load(ctx context.Context, e Engine) {
	if h.path == "" {
		return
	}
	data, err := os.ReadFile(h.path)
	const head = len(historyHeader) + sha256.Size
	if err != nil || len(data) < head+8+sha256.Size || string(data[:len(historyHeader)]) != historyHeader {
		return
	}
	rest := data[head:]
	if sum := sha256.Sum256(rest); !bytes.Equal(sum[:], data[len(historyHeader):head]) {
		return
	}
	next, tie, rest := binary.LittleEndian.Uint64(rest), rest[8:8+sha256.Size], rest[8+sha256.Size:]
	last := recordText(ctx, e, next-1)
	if sum := sha256.Sum256(last); last == nil || !bytes.Equal(sum[:], tie) {
		return
	}
	for len(rest) >= 4 {
		n := int(binary.LittleEndian.Uint32(rest))
		r, err := event.Decode(rest[4 : 4+n])
		if err != nil {
			h.gathered = nothingGathered()
			return
		}
		h.add(r, rest[4:4+n])
		rest = rest[4+n:]
	}
	h.next, h.last, h.saved = next, last, next
}

// recordText is what the log holds of a record; nil: there is no such record.
func recordText(ctx context.Context, e Engine, seq uint64) (text []byte) {
	err := e.RecordsWith(ctx, seq, func(record []byte) bool { text = record; return true }, func(event.Record) error { return errFound })
	if !errors.Is(err, errFound) {
		return nil
	}
	return text
}

// save writes the file, if there is something new.
func (h *history) save() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.path == "" || h.next <= h.saved || h.last == nil {
		return nil
	}
	tie := sha256.Sum256(h.last)
	rest := append(binary.LittleEndian.AppendUint64(nil, h.next), tie[:]...)
	for _, record := range h.about {
		rest = append(binary.LittleEndian.AppendUint32(rest, uint32(len(record))), record...)
	}
	sum := sha256.Sum256(rest)
	h.saved = h.next
	return wholefile.WriteBytes(h.path, []byte(historyHeader), sum[:], rest)
}

// savingEvery is how often the history is written: a start reads no more again.
const savingEvery = 5 * time.Minute

// keep gathers the history, and writes it now and then until ctx ends.
func (h *history) keep(ctx context.Context, e Engine) error {
	tick := time.NewTicker(savingEvery)
	defer tick.Stop()
	for {
		_, err := h.gather(ctx, e)
		if err == nil {
			err = h.save()
		}
		if err != nil && ctx.Err() == nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
		select {
		case <-ctx.Done():
			return h.save()
		case <-tick.C:
		}
	}
}
