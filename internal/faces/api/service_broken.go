package api

import (
	"context"
	"slices"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/past"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// How many breaks an answer has where the request names no number, and how many nodes that were out
// already each of them names.
const (
	usualBreaks = 100
	mostOut     = 100
)

// Broken lists what broke promises, the last first.
func (s promiseService) Broken(ctx context.Context, m *musterv1.BrokenRequest) (*musterv1.BrokenResponse, error) {
	out, p := &musterv1.BrokenResponse{}, pastService(s)
	if err := p.knownNow(named(knownScope, m.GetScope())); err != nil {
		return nil, err
	}
	var list []past.Break
	seen, err := p.ask(ctx, m, fourWeeks, func(b *past.Book, w past.Window, _ int64) {
		out.Window = wire.Window(w)
		w.To++ // what happened at that moment counts
		for _, br := range b.BrokenIn(m.GetScope(), w) {
			if m.GetRecord() != 0 && br.Seq != m.GetRecord() {
				continue
			}
			if out.Found++; int(out.GetFound()) > orElse(m.GetLimit(), usualBreaks) {
				continue
			}
			list = append(list, br)
			out.Breaks = append(out.Breaks, breakOf(br, b.OutAt(br)))
		}
	})
	if err != nil {
		return nil, err
	}
	out.Seen = seen
	_, err = s.read(ctx, m.GetAsOf(), func(state *fleet.State, _ fleet.Instant) error {
		for i, br := range list {
			out.Breaks[i].Incidents = about(state, br, out.GetBreaks()[i])
		}
		return nil
	})
	return out, err
}

func breakOf(br past.Break, out []past.Loss) *musterv1.Break {
	m := &musterv1.Break{
		At: wire.Moment(br.At), Record: br.Seq, Partition: br.Partition, Island: br.Island, HorizonHours: int32(br.Horizon),
		Promises: int32(br.Promises), First: wire.Moment(br.First), Last: wire.Moment(br.Last), Promised: int32(br.Promised), Whole: int32(br.Whole),
	}
	for _, l := range br.Lost {
		m.Lost = append(m.Lost, wire.LostNode(l))
	}
	for _, l := range out[:min(len(out), mostOut)] {
		m.Out = append(m.Out, wire.LostNode(l))
	}
	return m
}

// about names the incidents that say something of a break: those that name one of its
// nodes, whenever they were opened, and those open then whose scope it was in.
func about(state *fleet.State, br past.Break, m *musterv1.Break) (names []string) {
	p := state.Partition(br.Partition)
	at := fleet.Instant(br.At * 1e6)
	for _, i := range state.Incidents {
		open := i.Opened <= at && (i.Closed == 0 || i.Closed > at)
		named := slices.ContainsFunc(slices.Concat(m.GetLost(), m.GetOut()), func(l *musterv1.LostNode) bool { return slices.Contains(i.Nodes, l.GetNode()) })
		if open && named || named && i.Opened > at || open && len(i.Nodes) == 0 && p != nil && i.Touches(p) {
			names = append(names, i.Name)
		}
	}
	return names
}
