package api

import (
	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

func targetsOf(t fleet.Targets) *musterv1.Targets {
	return &musterv1.Targets{Availability: share(t.Availability), Uptime: share(t.Uptime), Mttr: durationpb.New(t.MTTR)}
}

// ownTargetsOf is a cluster's own targets, or nil.
func ownTargetsOf(c *fleet.Cluster) *musterv1.Targets {
	if c.Targets == (fleet.Targets{}) {
		return nil
	}
	return targetsOf(c.Targets)
}

func setClusterTargets(m *musterv1.SetTargetsRequest) (core.Command, error) {
	t, err := setTargets("targets", fleet.Targets{}, m.GetTargets())
	return core.SetTargets{Cluster: m.GetCluster(), Targets: t}, err
}

// setTargets lays what the message in a field says over the targets in force.
func setTargets(field string, now fleet.Targets, m *musterv1.Targets) (fleet.Targets, error) {
	for _, s := range []struct {
		field string
		says  float64
		to    *fleet.Permille
	}{
		{field + ".availability", m.GetAvailability(), &now.Availability},
		{field + ".uptime", m.GetUptime(), &now.Uptime},
	} {
		p, err := permille(s.field, s.says)
		if err != nil {
			return now, err
		}
		if p != 0 {
			*s.to = p
		}
	}
	mttr, err := duration(field+".mttr", m.GetMttr())
	if err == nil && mttr != 0 {
		now.MTTR = mttr
	}
	return now, err
}
