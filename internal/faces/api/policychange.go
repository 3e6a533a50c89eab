package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// policed is a record in which people changed a policy.
type policed struct {
	record event.Record
	says   string             // which policy went from what to what; "": that was not found out yet
	backed map[account]turned // of the quotas whose backing it changed, in GPUs
}

// turned is a figure before and after.
type turned struct{ was, now int }

// changesPolicy says whether people changed in a record what may be promised.
func changesPolicy(r event.Record) bool {
	return slices.ContainsFunc(r.Events, func(e event.Event) bool { _, _, ok := event.BufferIn(e); return ok })
}

// compare finds out what the record changed, on the state before it. Where that takes too long it stays
// unknown, and is not tried again.
func (o *policed) compare(ctx context.Context, e Engine) {
	if o.says != "" {
		return
	}
	s, err := e.StateAfter(ctx, o.record.Seq-1)
	if errors.Is(err, context.DeadlineExceeded) {
		o.says = "policy"
	}
	if err != nil {
		return
	}
	o.says = bufferChanges(s, o.record)
	was := backings(s)
	core.ApplyRecord(s, o.record)
	o.backed = map[account]turned{}
	for a, now := range backings(s) {
		if was[a] != now {
			o.backed[a] = turned{was[a], now}
		}
	}
}

// bufferChanges lists the buffer policies that a record changes, each with what it was after a state and what it
// becomes; "policy" where it changes none of them.
func bufferChanges(s *fleet.State, r event.Record) string {
	var changes []string
	for _, e := range r.Events {
		scope, now, ok := event.BufferIn(e)
		was := s.Policy.Buffer
		if ok && scope != "" {
			was = s.Buffers[scope]
		}
		if ok && now != was {
			changes = append(changes, fmt.Sprintf("buffer policy of %s from %s to %s", cmp.Or(scope, "the fleet"), bufferName(was), bufferName(now)))
		}
	}
	return cmp.Or(strings.Join(changes, ", "), "policy")
}

// bufferName is a buffer policy in words.
func bufferName(b fleet.Buffer) string {
	if b == (fleet.Buffer{}) {
		return "that of the wider scope"
	}
	return b.String()
}

// backings are what backs each quota of a state, in GPUs.
func backings(s *fleet.State) map[account]int {
	all := map[account]int{}
	for _, p := range s.Partitions {
		for _, a := range p.Accounts {
			all[account{a.Quota, p.ID}] = a.BackedGPUs()
		}
	}
	return all
}

// changeOf is what the record did to one quota, as a line of its history.
func (o *policed) changeOf(a account) *musterv1.QuotaChange {
	t := o.backed[a]
	return &musterv1.QuotaChange{
		Seq: o.record.Seq, At: wire.Instant(o.record.At), Actor: o.record.Actor, Reason: o.record.Reason, Kind: "policy",
		Quota: a.quota, Partition: a.partition, Was: int32(t.was), Gpus: int32(t.now),
		Text: fmt.Sprintf("%s; what backs it in %s from %s to %s", o.says, a.partition, text.Group(t.was), text.Count(t.now, "GPU")),
	}
}
