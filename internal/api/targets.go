package api

import (
	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/fleet"
)

func targetsOf(t fleet.Targets) *musterv1.Targets {
	return &musterv1.Targets{Availability: share(t.Availability), Uptime: share(t.Uptime), Mttr: durationpb.New(t.MTTR)}
}

// setTargets lays what a message says over the targets in force.
func setTargets(now fleet.Targets, m *musterv1.Targets) (fleet.Targets, error) {
	for _, s := range []struct {
		field string
		says  float64
		to    *fleet.Permille
	}{
		{"policy.targets.availability", m.GetAvailability(), &now.Availability},
		{"policy.targets.uptime", m.GetUptime(), &now.Uptime},
	} {
		p, err := permille(s.field, s.says)
		if err != nil {
			return now, err
		}
		if p != 0 {
			*s.to = p
		}
	}
	mttr, err := duration("policy.targets.mttr", m.GetMttr())
	if err == nil && mttr != 0 {
		now.MTTR = mttr
	}
	return now, err
}
