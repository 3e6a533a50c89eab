package api

import (
	"context"
	"slices"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/clusterlife"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// mostNamed is how many nodes one thing ahead names.
const mostNamed = 100

// Coming lists what is known to be coming, the soonest first.
func (s comingService) Coming(ctx context.Context, m *musterv1.ComingRequest) (*musterv1.ComingResponse, error) {
	out := &musterv1.ComingResponse{}
	seen, err := s.read(ctx, m.GetAsOf(), func(state *fleet.State, at fleet.Instant) error {
		list, err := partitions(state, m.GetScope())
		if err != nil {
			return err
		}
		takes := func(i *fleet.Incident) int { return wire.IncidentGPUs(state, i) }
		c := callerOf(ctx)
		hidden := c.hiddenZones(state)
		ahead := slices.DeleteFunc(append(view.ComingTo(state, list, takes, c.reads(state), at), arrivals(state, m.GetScope(), at)...), func(a view.Ahead) bool { return a.Kind == view.AheadZone && hidden[a.About] })
		view.SortAhead(ahead)
		if most := int(m.GetLimit()); most > 0 && len(ahead) > most {
			out.More, ahead = int32(len(ahead)-most), ahead[:most]
		}
		for _, a := range ahead {
			out.Ahead = append(out.Ahead, &musterv1.Ahead{
				Kind: a.Kind, At: wire.Instant(a.At), Since: wire.Instant(a.Since), Partition: a.Partition, Gpus: int32(a.GPUs),
				Text: a.Text, About: a.About, Nodes: a.Nodes[:min(len(a.Nodes), mostNamed)],
			})
		}
		return nil
	})
	out.Seen = seen
	return out, err
}

// arrivals are the clusters that are built, as what is ahead in a scope. Their partitions are not there
// yet, so none is named.
func arrivals(s *fleet.State, scope string, at fleet.Instant) (list []view.Ahead) {
	for _, a := range clusterlife.Arrivals(s, at) {
		if scope == "" || scope == a.Cluster || scope == a.Partition {
			list = append(list, view.Ahead{Kind: view.AheadArrival, At: a.P90, Since: a.Since, GPUs: a.GPUs, Text: a.Text, About: a.Cluster})
		}
	}
	return list
}
