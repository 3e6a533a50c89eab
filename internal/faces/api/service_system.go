package api

import (
	"context"
	"runtime"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Status says how the server is, and who the caller is to it.
func (s systemService) Status(ctx context.Context, m *musterv1.StatusRequest) (*musterv1.StatusResponse, error) {
	who := callerOf(ctx).actor
	out := &musterv1.StatusResponse{
		Actor: who.Name, Operator: who.Operator,
		Started:   timestamppb.New(s.started),
		Workloads: map[string]int32{},
	}
	seen, err := s.read(ctx, nil, func(state *fleet.State, _ fleet.Instant) error {
		out.Clusters, out.Partitions, out.Quotas = count(state.Clusters), count(state.Partitions), count(state.Quotas)
		for _, p := range state.Partitions {
			out.Nodes += count(p.Nodes)
			out.Gpus += int32(p.Tally().Installed)
		}
		out.Banners = wire.Banners(state.Partitions)
		if m.GetWithoutWorkloads() {
			return nil
		}
		for _, w := range state.Workloads {
			out.Workloads[string(w.State)]++
		}
		return nil
	})
	out.Seen = seen
	return out, err
}

func count[T any](list []T) int32 { return int32(len(list)) }

// Version says which Muster this is.
func (s systemService) Version(context.Context, *musterv1.VersionRequest) (*musterv1.VersionResponse, error) {
	return &musterv1.VersionResponse{Version: s.version, Go: runtime.Version()}, nil
}

// StateHash names the state. No decision waits for it.
func (s systemService) StateHash(ctx context.Context, m *musterv1.StateHashRequest) (*musterv1.StateHashResponse, error) {
	out := &musterv1.StateHashResponse{}
	seen, err := s.read(ctx, m.GetAsOf(), func(state *fleet.State, _ fleet.Instant) error {
		out.Hash = state.Hash()
		return nil
	})
	out.Seen = seen
	return out, err
}
