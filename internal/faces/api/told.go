package api

import (
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/whatif"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file says what a caller is told of work that is in the way of what they ask about.

// told says whether a workload may be named to the caller, by its namespace/name; nil: every one may.
type told func(name string) bool

// isTold is that of the caller.
func (c *caller) isTold(state *fleet.State) told {
	if c.readsAll() {
		return nil
	}
	return func(full string) bool {
		namespace, name, _ := strings.Cut(full, "/")
		return c.seesNamed(state, namespace, name)
	}
}

func (may told) of(name string) bool { return may == nil || may(name) }

// reader is the caller as one who asks what is in the way.
func (c *caller) reader() explain.Reader {
	if c.readsAll() {
		return nil
	}
	return func(p *fleet.Partition, name string) bool { return c.seesIn(p)(name) }
}

// start is how work would start, with those of the others named that may be.
func (may told) start(st whatif.Start) *musterv1.Start {
	out := wire.Start(st)
	out.Evicts, out.EvictsOthers = may.split(st.Evicts)
	out.Outranks, out.OutranksOthers = may.split(st.Outranks)
	return out
}

// split keeps the names that may be told, and counts the others.
func (may told) split(names []string) (kept []string, others int32) {
	for _, name := range names {
		if may.of(name) {
			kept = append(kept, name)
		} else {
			others++
		}
	}
	return kept, others
}
