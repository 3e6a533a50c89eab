package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A log that lacks its beginning has a base in its place: the state after what was dropped, and what
// other rooms gathered from that, each under a name of its own. A base that a salvage made is a
// snapshot, and has no such parts.
//
// The first byte of a base is inBase. Then come how many parts there are as a varint, and for each
// the length of its name as a varint, the name, the length of its bytes as a varint, and those.
const inBase = 'b'

// statePart is the name of the part that holds the state, as a snapshot holds it.
const statePart = "state"

// BaseOf is what a journal keeps of a state, and of all parts that were gathered up to it, in the
// place of the records.
func BaseOf(s *fleet.State, parts map[string][]byte) (journal.Snapshot, error) {
	snap, err := SnapshotOf(s)
	if err != nil {
		return snap, err
	}
	all := maps.Clone(parts)
	if all == nil {
		all = map[string][]byte{}
	}
	all[statePart] = snap.Data
	b := binary.AppendUvarint([]byte{inBase}, uint64(len(all)))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		b = append(binary.AppendUvarint(b, uint64(len(name))), name...)
		b = append(binary.AppendUvarint(b, uint64(len(all[name]))), all[name]...)
	}
	snap.Data = b
	return snap, nil
}

// ReadBase reads what BaseOf made, also in an earlier version: fields of the state that are new since
// are empty then, as nothing tells of them any more. Of a log that lacks nothing it is the empty state.
func ReadBase(b journal.Base) (s *fleet.State, parts map[string][]byte, err error) {
	if b.Seq == 0 {
		return fleet.NewState(), nil, nil
	}
	data := b.Data
	if bytes.HasPrefix(data, []byte{inBase}) {
		if parts, err = partsOf(data[1:]); err != nil {
			return nil, nil, err
		}
		data = parts[statePart]
		delete(parts, statePart)
	}
	s, err = unpack(data)
	if err == nil && s.Seq != b.Seq {
		err = fmt.Errorf("it is of version %d", s.Seq)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("journal: the state at version %d, with which the log begins: %w", b.Seq, err)
	}
	return s, parts, nil
}

var errTornBase = errors.New("journal: what the log begins with is torn")

func partsOf(data []byte) (map[string][]byte, error) {
	next := func() (b []byte, ok bool) {
		length, n := binary.Uvarint(data)
		if n <= 0 || length > uint64(len(data)-n) {
			return nil, false
		}
		b, data = data[n:n+int(length)], data[n+int(length):]
		return b, true
	}
	count, n := binary.Uvarint(data)
	if n <= 0 {
		return nil, errTornBase
	}
	data = data[n:]
	parts := map[string][]byte{}
	for range count {
		name, ok1 := next()
		part, ok2 := next()
		if !ok1 || !ok2 {
			return nil, errTornBase
		}
		parts[string(name)] = part
	}
	return parts, nil
}

// first is the state that a log begins with. What was dropped before it leads to no state.
func first(ctx context.Context, j journal.Journal, seq uint64) (*fleet.State, error) {
	base, err := j.Base(ctx)
	if err != nil {
		return nil, err
	}
	if base.Seq > seq {
		return nil, base.Lacks(max(seq, 1))
	}
	s, _, err := ReadBase(base)
	return s, err
}

// Base is the state that the log begins with, and what was gathered up to it; the empty state where the
// log has all of its records.
func (e *Engine) Base(ctx context.Context) (s *fleet.State, parts map[string][]byte, err error) {
	base, err := e.o.Journal.Base(ctx)
	if err != nil {
		return nil, nil, err
	}
	return ReadBase(base)
}

// Restore builds the state after a record of a log.
func Restore(ctx context.Context, j journal.Journal, seq uint64) (*fleet.State, error) {
	return restore(ctx, j, seq)
}
