package api

import (
	"context"
	"runtime"
	"slices"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Status says how the server is, and who the caller is to it.
func (s systemService) Status(ctx context.Context, m *musterv1.StatusRequest) (*musterv1.StatusResponse, error) {
	who := callerOf(ctx).actor
	out := &musterv1.StatusResponse{
		Actor: who.Name, Operator: who.Operator || callerOf(ctx).may(access.SetPolicy),
		Started:   timestamppb.New(s.started),
		Workloads: map[string]int32{},
	}
	seen, err := s.read(ctx, nil, func(state *fleet.State, at fleet.Instant) error {
		out.Clusters, out.Partitions, out.Quotas = count(state.Clusters), count(state.Partitions), count(state.Quotas)
		for _, p := range state.Partitions {
			out.Nodes += count(p.Nodes)
			out.Gpus += int32(p.Tally().Installed)
		}
		out.Warnings = slices.Concat(glassBroken(state, at), proposalsOpen(state, callerOf(ctx)),
			wire.Warnings(state, state.Partitions, callerOf(ctx).seesIn, at), wire.CutWarnings(state, callerOf(ctx).reads(state), at))
		if m.GetWithoutWorkloads() {
			return nil
		}
		for _, w := range state.Workloads {
			out.Workloads[string(w.State)]++
		}
		grants(out, state.Partitions)
		return nil
	})
	for _, g := range callerOf(ctx).rights {
		out.Roles = append(out.Roles, string(g.Role)+" in "+g.Scope.String())
		if g.Scope.Namespace != "" {
			out.Namespaces = append(out.Namespaces, g.Scope.Namespace)
		}
	}
	slices.Sort(out.Namespaces)
	out.Namespaces = slices.Compact(out.Namespaces)
	out.Namespaces = out.Namespaces[:min(mostNamespaces, len(out.Namespaces))]
	out.User, out.Groups = who.User, who.Groups
	if _, follows := s.lag(); follows {
		out.Leader = s.leader()
	}
	for _, n := range s.notices() {
		if n.Operators && !callerOf(ctx).may(access.SetPolicy) {
			continue
		}
		out.Warnings = append(out.Warnings, &musterv1.Warning{Key: serverKey + n.Key, Text: n.Text})
	}
	for _, w := range out.GetWarnings() {
		out.Banners = append(out.Banners, w.GetText())
	}
	out.Seen = seen
	return out, err
}

// mostNamespaces bounds how many of the caller's namespaces an answer lists.
const mostNamespaces = 100

// serverKey begins the keys of warnings about the server itself. They cannot be acknowledged.
const serverKey = "server "

// AcknowledgeWarning says that the caller has seen a warning that stands.
func (s systemService) AcknowledgeWarning(ctx context.Context, m *musterv1.AcknowledgeWarningRequest) (*musterv1.AcknowledgeWarningResponse, error) {
	var until fleet.Instant
	_, err := s.read(ctx, nil, func(state *fleet.State, at fleet.Instant) error {
		until = at.Add(m.GetLasts().AsDuration())
		everything := func(*fleet.Workload) bool { return true }
		for _, w := range append(wire.Warnings(state, state.Partitions, callerOf(ctx).seesIn, at), wire.CutWarnings(state, everything, at)...) {
			if w.GetKey() == m.GetKey() {
				return nil
			}
		}
		return &core.Refusal{Code: core.NothingToDo, Message: "no warning has the key " + clipped(m.GetKey()) + ", or what it said is over; muster status shows those there are"}
	})
	w, err := s.written(ctx, m, core.AcknowledgeWarning{Key: m.GetKey(), Until: until}, err)
	return &musterv1.AcknowledgeWarningResponse{Written: w}, err
}

// grants sums up what was granted, and what of that is not kept now.
func grants(out *musterv1.StatusResponse, partitions []*fleet.Partition) {
	for _, p := range partitions {
		for _, a := range p.Accounts {
			out.Assigned += int32(a.Grant)
			out.Unbacked += int32(a.Grant - a.BackedGPUs())
			if a.GangMissing > 0 {
				out.GangsUnbacked++
			}
		}
	}
}

func count[T any](list []T) int32 { return int32(len(list)) }

// Version says which Muster this is.
func (s systemService) Version(context.Context, *musterv1.VersionRequest) (*musterv1.VersionResponse, error) {
	return &musterv1.VersionResponse{Version: s.version, Go: runtime.Version()}, nil
}

// StateHash names the state. No decision waits for it.
func (s systemService) StateHash(ctx context.Context, m *musterv1.StateHashRequest) (*musterv1.StateHashResponse, error) {
	out := &musterv1.StateHashResponse{}
	hash := func(state *fleet.State, _ fleet.Instant) error {
		out.Hash = state.Hash()
		return nil
	}
	if m.GetAsOf() == nil {
		seen, err := s.readBy(s.engine.Ponder, hash)
		out.Seen = seen
		return out, err
	}
	seen, err := s.read(ctx, m.GetAsOf(), hash)
	out.Seen = seen
	return out, err
}
