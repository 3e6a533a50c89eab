package retain

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/muster-fleet/muster/internal/answer/past"
	"github.com/muster-fleet/muster/internal/answer/past/keeper"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/audit"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/keys"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Least is how long records are kept at least: the idempotency keys of a week stand in them.
const Least = keys.Kept + 24*time.Hour

// Options of Trim.
type Options struct {
	Keep     map[string]func(record []byte) bool // records that are kept, by the name of the part that they stand in
	Progress func(seq uint64)                    // hears how far the replay is; it may rest. nil: nothing does
}

// Report says what was dropped.
type Report struct {
	Dropped uint64 // records
	First   uint64 // the first that the log has now
	Bytes   int    // what stands in their place takes
}

// Trim drops the records of before a moment. The last one is kept in any case.
func Trim(ctx context.Context, j journal.Journal, before fleet.Instant, o Options) (r Report, err error) {
	base, err := j.Base(ctx)
	if err != nil {
		return r, err
	}
	r.First = base.Seq + 1
	cut, err := cutAt(ctx, j, before)
	if err != nil {
		return r, err
	}
	if cut <= base.Seq {
		if base.Seq == 0 {
			return r, nil
		}
		// what a trim left that was broken off is dropped
		return r, j.Trim(ctx, journal.Snapshot{Seq: base.Seq, At: base.At, Data: base.Data})
	}
	g, err := begin(base, o)
	if err == nil {
		err = g.replay(ctx, j, cut)
	}
	if err != nil {
		return r, err
	}
	snap, err := g.base()
	if err == nil {
		err = g.prove(ctx, j, snap)
	}
	if err == nil {
		err = j.Trim(ctx, snap)
	}
	if err != nil {
		return r, err
	}
	return Report{Dropped: cut - base.Seq, First: cut + 1, Bytes: len(snap.Data)}, nil
}

// cutAt is the last record to be dropped; 0: none is.
func cutAt(ctx context.Context, j journal.Journal, before fleet.Instant) (uint64, error) {
	last, _, err := j.Last(ctx)
	if err != nil || last == 0 {
		return 0, err
	}
	cut, err := j.SeqAt(ctx, int64(before)-1)
	if errors.As(err, new(*journal.TrimmedError)) {
		return 0, nil
	}
	return min(cut, last-1), err
}

// gathering is what is known of the records up to one of them.
type gathering struct {
	o     Options
	state *fleet.State
	book  *past.Book // nil: a salvage has cut the past off
	chain audit.Link
	known bool // the chain is
	parts map[string][]byte
}

// Chain is the name of the part with the audit log's link of what was dropped.
const Chain = "chain"

func begin(base journal.Base, o Options) (*gathering, error) {
	state, parts, err := engine.ReadBase(base)
	if err != nil {
		return nil, err
	}
	g := &gathering{o: o, state: state, parts: parts, known: base.Seq == 0 || len(parts[Chain]) == len(audit.Link{})}
	if g.parts == nil {
		g.parts = map[string][]byte{}
	}
	copy(g.chain[:], parts[Chain])
	if base.Seq > 0 && parts[keeper.Part] == nil {
		return g, nil
	}
	own, _, err := engine.ReadBase(base) // the book's state is its own
	if err == nil {
		g.book, err = keeper.Beginning(own, parts)
	}
	return g, err
}

func (g *gathering) replay(ctx context.Context, j journal.Journal, cut uint64) error {
	err := j.Read(ctx, g.state.Seq+1, func(en journal.Entry) error {
		if err := g.take(en); err != nil {
			return err
		}
		if g.o.Progress != nil {
			g.o.Progress(en.Seq)
		}
		if en.Seq == cut {
			return errEnough
		}
		return ctx.Err()
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

var errEnough = errors.New("enough")

func (g *gathering) take(en journal.Entry) error {
	text, err := event.Unpack(en.Data)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	rec, err := event.Decode(text)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	core.ApplyRecord(g.state, rec)
	if g.book != nil {
		g.book.Add(rec)
	}
	g.chain = g.chain.Extend(en.Seq, en.At, en.Data)
	for name, wanted := range g.o.Keep {
		if wanted(text) {
			g.parts[name] = append(binary.AppendUvarint(g.parts[name], uint64(len(text))), text...)
		}
	}
	return nil
}

// Records are those that a part keeps, word by word.
func Records(part []byte) (list [][]byte) {
	for {
		length, n := binary.Uvarint(part)
		if n <= 0 || length > uint64(len(part)-n) {
			return list
		}
		list, part = append(list, part[n:n+int(length)]), part[n+int(length):]
	}
}

// base is what takes the place of the records.
func (g *gathering) base() (journal.Snapshot, error) {
	delete(g.parts, Chain)
	delete(g.parts, keeper.Part)
	if g.known {
		g.parts[Chain] = g.chain[:]
	}
	if g.book != nil {
		notes, err := keeper.Pack(g.book.Notes)
		if err != nil {
			return journal.Snapshot{}, err
		}
		g.parts[keeper.Part] = notes
	}
	return engine.BaseOf(g.state, g.parts)
}

// prove demands that the state that was gathered is the one that the journal itself leads to, and
// that it can be read back.
func (g *gathering) prove(ctx context.Context, j journal.Journal, snap journal.Snapshot) error {
	other, err := engine.Restore(ctx, j, g.state.Seq)
	if err != nil {
		return err
	}
	back, _, err := engine.ReadBase(journal.Base{Link: journal.Link{Seq: snap.Seq, At: snap.At}, Data: snap.Data})
	if err != nil {
		return err
	}
	if is := g.state.Hash(); other.Hash() != is || back.Hash() != is {
		return fmt.Errorf("journal: the state at version %d is %s by a replay, %s by its snapshots and %s when it is read back; nothing was dropped", g.state.Seq, is, other.Hash(), back.Hash())
	}
	return nil
}
