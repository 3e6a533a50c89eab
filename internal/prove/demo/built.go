package demo

import (
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// The cluster that the demo builds: from its record to production in about ten minutes.
const (
	builtCluster = "badger"
	builtBy      = "nd"
)

// buildsCluster enters the record of a cluster, once. The simulated cloud, pipeline and nodes do the rest.
func buildsCluster(s *fleet.State) []core.Command {
	if len(s.Lives) > 0 || s.Cluster(builtCluster) != nil {
		return nil
	}
	var list []core.Command
	if s.Blueprint(builtBy, 0) == nil {
		list = append(list, core.AddBlueprint{Blueprint: fleet.Blueprint{
			Name: builtBy, Version: 1, Checkin: fleet.CheckinInventory, Mode: fleet.Shadow,
			Meters: []fleet.Meter{{Meter: "nd-h200", PerNode: 96}, {Meter: "cores", PerNode: 96}},
			Takes: map[fleet.Step]time.Duration{
				fleet.StepPipeline: 3 * time.Minute, fleet.StepScaleSets: 2 * time.Minute, fleet.StepJoin: time.Minute,
				fleet.StepValidation: 3 * time.Minute, fleet.StepServices: 30 * time.Second,
				fleet.StepProjects: 5 * time.Second, fleet.StepDependencies: 5 * time.Second, fleet.StepHealth: 5 * time.Second,
			},
		}})
	}
	return append(list, core.PlanCluster{Record: fleet.ClusterRecord{
		Name: builtCluster, Subscription: "research-1", Region: "east", GPU: "h200", Priority: fleet.High, Owner: "omar", Blueprint: builtBy,
		WantedBy: fleet.InstantOf(s.Time.Time().AddDate(0, 0, 14).Truncate(day)), Islands: []fleet.RecordIsland{{Name: "a", Nodes: 4}, {Name: "b", Nodes: 4}},
	}})
}
