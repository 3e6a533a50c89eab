package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// atOnce is how many workloads are submitted in one record. Deciding about so many takes
// some milliseconds; those of a larger batch come in several records, between which
// others' commands are decided.
const atOnce = 100

// submitInParts submits a large batch part by part. It is checked as a whole first, so
// that what is wrong with it is said before any of it is taken. Only what others do in that
// very moment can still refuse a part; then what was taken is taken back. Each part has a
// key of its own, so a batch that is sent again goes on where it was cut off.
func (s *service) submitInParts(ctx context.Context, m *musterv1.SubmitBatchRequest, all []core.Command) (w *musterv1.Written, ids []uint64, err error) {
	whole := request(ctx, m, core.Batch{Commands: all})
	if err := s.wouldTake(whole); err != nil {
		return nil, nil, err
	}
	w = &musterv1.Written{Repeat: true}
	for from := 0; from < len(all); from += atOnce {
		part := partOf(whole, all, from)
		result, err := s.engine.Do(ctx, part)
		if err != nil {
			return nil, nil, s.takeBack(ctx, whole, all[:from], err)
		}
		w.Version, w.At, w.Repeat = result.Seq, wire.Instant(result.At), w.Repeat && result.Repeat
		record, err := s.original(ctx, result)
		if err != nil {
			return nil, nil, err
		}
		ids = append(ids, submittedIn(record)...)
	}
	return w, ids, nil
}

// partOf is the part of a batch that begins with one of its commands. What version it was
// made from the first part alone can still say.
func partOf(whole core.Request, all []core.Command, from int) core.Request {
	part := whole
	part.Command = core.Batch{Commands: all[from:min(len(all), from+atOnce)]}
	part.Key = partKey(whole.Key, from/atOnce)
	if from > 0 {
		part.Expect = 0
	}
	return part
}

// partKey is the key of a part of a batch; a batch without one has none.
func partKey(key string, part int) string {
	if key == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(key))
	return fmt.Sprintf("part-%s-%d", hex.EncodeToString(sum[:20]), part)
}

// wouldTake says whether a batch would be refused now. Of one that was begun before, the
// names are taken by itself.
func (s *service) wouldTake(whole core.Request) (err error) {
	s.engine.Ponder(func(state *fleet.State) {
		if _, begun := state.Key(partKey(whole.Key, 0)); begun && whole.Key != "" {
			return
		}
		if _, refusal := core.Decide(state, whole, max(fleet.InstantOf(s.now()), state.Time)); refusal != nil {
			err = refusal
		}
	})
	return err
}

// takeBack cancels the parts of a batch that were taken before one was refused.
func (s *service) takeBack(ctx context.Context, whole core.Request, taken []core.Command, why error) error {
	var refusal *core.Refusal
	if !errors.As(why, &refusal) || len(taken) == 0 {
		return why
	}
	back := core.Batch{Each: true}
	for _, one := range taken {
		sp := one.(core.Submit).Spec
		back.Commands = append(back.Commands, core.Cancel{Namespace: sp.Namespace, Name: sp.Name})
	}
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer end()
	if _, err := s.engine.Do(ctx, core.Request{Command: back, Actor: whole.Actor, Reason: "the rest of the batch was refused"}); err != nil {
		return fmt.Errorf("%w; the first %d of the batch were taken before, and could not be taken back: %w", why, len(taken), err)
	}
	return &core.Refusal{Code: refusal.Code, Figures: refusal.Figures, Message: fmt.Sprintf("%s; %d of the batch were taken before, and are cancelled again", refusal.Message, len(taken))}
}

// submittedIn are the numbers of the workloads that a record submits.
func submittedIn(r event.Record) (ids []uint64) {
	for _, e := range r.Events {
		if submitted, ok := e.(event.WorkloadSubmitted); ok {
			ids = append(ids, submitted.ID)
		}
	}
	return ids
}
