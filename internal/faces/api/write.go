package api

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"strings"

	"google.golang.org/protobuf/proto"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/event"
)

// A writeMessage is a message that asks for a change.
type writeMessage interface {
	proto.Message
	GetWrite() *musterv1.Write
}

// write does a command, or tries it if the message says so.
func (s *service) write(ctx context.Context, m writeMessage, c core.Command) (Result, *musterv1.Written, error) {
	w := m.GetWrite()
	if w.GetPropose() && !w.GetDryRun() {
		c = core.Propose{Command: c}
	}
	result, err := s.done(ctx, w.GetDryRun(), request(ctx, m, c))
	if err != nil {
		return Result{}, nil, s.unnamedError(ctx, m, err)
	}
	written := &musterv1.Written{
		Version: result.Seq,
		At:      wire.Instant(result.At),
		Repeat:  result.Repeat,
		DryRun:  w.GetDryRun(),
	}
	if w.GetPropose() && !w.GetDryRun() {
		if err := s.proposed(ctx, result, written); err != nil {
			return Result{}, nil, err
		}
	}
	switch {
	case w.GetDryRun():
		written.Events, err = wire.Events(s.tried(ctx, result.Record.Events))
		written.Notes = append(s.concernedBy(result.Record, callerOf(ctx)), s.refusedFor(ctx, result.Lets, m)...)
	case !result.Repeat && len(result.Record.Events) > 0:
		written.Notes = append(written.Notes, s.cutBy(result.Record, callerOf(ctx))...)
	case !result.Repeat:
		written.Notes = append(written.Notes, wire.Unchanged)
	}
	return result, written, err
}

// done has a request done, or only tried.
func (s *service) done(ctx context.Context, trial bool, r core.Request) (Result, error) {
	if trial {
		return s.engine.DryRun(ctx, r)
	}
	return s.engine.Do(ctx, r)
}

// refusedFor says what the command would be refused for that was tried here: a dry run needs no reason, and the same
// command done for good may.
func (s *service) refusedFor(ctx context.Context, lets []*core.Refusal, m writeMessage) (notes []string) {
	for _, refusal := range lets {
		if refusal.Code != core.TwoPeople || !m.GetWrite().GetPropose() {
			notes = append(notes, "As it is, it would be refused: "+s.unnamed(ctx, m, refusal.Message)+".")
		}
	}
	return notes
}

// written is write for the answers that say no more than that.
func (s *service) written(ctx context.Context, m writeMessage, c core.Command, err error) (*musterv1.Written, error) {
	if err != nil {
		return nil, err
	}
	_, written, err := s.write(ctx, m, c)
	return written, err
}

// request is what the engine is asked for.
func request(ctx context.Context, m writeMessage, c core.Command) core.Request {
	from, w := callerOf(ctx), m.GetWrite()
	r := core.Request{Command: c, Actor: from.actor, Reason: strings.TrimSpace(w.GetReason()), Key: w.GetIdempotencyKey(), Expect: w.GetExpectVersion()}
	if r.Key == "" {
		r.Key = from.key
	}
	if w.GetDryRun() {
		r.Key = "" // what was only tried has not been done
	}
	if r.Key != "" {
		r.Key, r.Fingerprint = from.actor.Name+" "+r.Key, fingerprint(m) // a key is its caller's own
	}
	return r
}

var deterministic = proto.MarshalOptions{Deterministic: true}

// fingerprint tells commands apart that bear the same idempotency key: the first 64 bits of
// the SHA-256 of what is asked for, without the key itself.
func fingerprint(m writeMessage) uint64 {
	if w := m.GetWrite(); w != nil {
		key := w.GetIdempotencyKey()
		w.IdempotencyKey = ""
		defer func() { w.IdempotencyKey = key }()
	}
	body, err := deterministic.Marshal(m)
	if err != nil {
		panic(err) // it was unmarshalled from the same bytes
	}
	h := sha256.New()
	_, _ = h.Write([]byte(m.ProtoReflect().Descriptor().FullName()))
	_, _ = h.Write([]byte{0})
	_, _ = h.Write(body)
	return binary.BigEndian.Uint64(h.Sum(nil))
}

// errFound ends a walk over records.
var errFound = errors.New("found")

// original is the record that a result stands for: for a repeated command, the one of the first time.
func (s *service) original(ctx context.Context, r Result) (event.Record, error) {
	if !r.Repeat {
		return r.Record, nil
	}
	var first event.Record
	err := s.engine.Records(ctx, r.Seq, func(record event.Record) error {
		first = record
		return errFound
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return first, err
}
