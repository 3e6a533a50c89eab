package metrics

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// figures are a partition's, as people read them.
type figures = view.Figures

// A stage is a metric read off a partition's figures.
type stage struct {
	name, help string
	read       func(figures) int
}

// quotaRow is what a quota has in a partition, as people read it.
type quotaRow view.Quota

func (q quotaRow) gangUnbacked() int {
	if slices.Contains(q.Flags, view.GangUnbacked) {
		return 1
	}
	return 0
}

// A quotaStage is a metric read off a quota's row.
type quotaStage struct {
	name, help string
	read       func(quotaRow) int
}

// gauges reads the state whenever Prometheus asks. One read gives all figures,
// so that those of one scrape belong together.
type gauges struct {
	read  func(func(*fleet.State))
	descs map[string]*prometheus.Desc
}

func newGauges(read func(func(*fleet.State))) *gauges {
	g := &gauges{read: read, descs: map[string]*prometheus.Desc{}}
	for _, m := range Catalogue() {
		if m.Kind == Gauge && m.Name != leads.Name && m.Name != lagging.Name {
			g.descs[m.Name] = prometheus.NewDesc(m.Name, m.Help, m.Labels, nil)
		}
	}
	return g
}

// Describe names the gauges.
func (g *gauges) Describe(to chan<- *prometheus.Desc) {
	for _, d := range g.descs {
		to <- d
	}
}

// Collect reads all gauges at one version of the state. What is read is sent
// only once the state is free again: a slow reader of metrics delays no decision.
func (g *gauges) Collect(to chan<- prometheus.Metric) {
	var found []prometheus.Metric
	put := func(name string, value int, labels ...string) {
		found = append(found, prometheus.MustNewConstMetric(g.descs[name], prometheus.GaugeValue, float64(value), labels...))
	}
	g.read(func(s *fleet.State) {
		for _, p := range s.Partitions {
			ofPartitionGauges(p, put)
		}
		ofFleetGauges(s, put)
	})
	for _, m := range found {
		to <- m
	}
}

// put takes one reading.
type put func(name string, value int, labels ...string)

func ofPartitionGauges(p *fleet.Partition, put put) {
	f := view.PartitionOf(p).Figures
	for _, s := range stages {
		put(s.name, s.read(f), p.Cluster, p.GPU)
	}
	states := map[fleet.NodeState]int{}
	for _, n := range p.Nodes {
		states[n.State]++
	}
	for _, state := range fleet.NodeStates() {
		put(nodes.Name, states[state], p.Cluster, p.GPU, string(state))
	}
	var guaranteed, borrowing, unprotected int
	for _, q := range view.QuotasIn(p) {
		for _, s := range quotaStages {
			put(s.name, s.read(quotaRow(q)), q.Quota, p.Cluster, p.GPU)
		}
		guaranteed += q.Guaranteed
		borrowing += q.Borrowing
		unprotected += q.Unprotected
	}
	put(held.Name, guaranteed, p.Cluster, p.GPU, "guaranteed")
	put(held.Name, borrowing, p.Cluster, p.GPU, "borrowing")
	put(held.Name, unprotected, p.Cluster, p.GPU, "unprotected")
	put(breaker.Name, oneIf(p.Health.Tripped != 0), p.Cluster, p.GPU)
	put(held.Name, f.FlexUsed, p.Cluster, p.GPU, "flex")
}

// livingStates are those of workloads that have not ended.
var livingStates = []fleet.WorkloadState{fleet.Pending, fleet.Starting, fleet.RunningW, fleet.Evicting, fleet.Mending}

func ofFleetGauges(s *fleet.State, put put) {
	states, asked := map[fleet.WorkloadState]int{}, map[string]int{}
	for _, q := range s.Quotas {
		asked[q.Path] = 0
	}
	asked[fleet.Flex] = 0
	still := 0
	for _, w := range s.Workloads {
		states[w.State]++
		still += oneIf(view.Hung(s, w, s.Time))
		if w.State == fleet.Pending {
			asked[w.Target] += w.NeedsBase()
		}
	}
	for _, state := range livingStates {
		put(workloads.Name, states[state], string(state))
	}
	put(hung.Name, still)
	for target, gpus := range asked {
		put(waiting.Name, gpus, target)
	}
	for _, c := range s.Clusters {
		put(stale.Name, oneIf(c.Stale), c.Name)
	}
	open := 0
	for _, i := range s.Incidents {
		open += oneIf(i.Closed == 0)
	}
	put(incidents.Name, open)
	ofBuildingGauges(s, put)
	ofPlannedGauges(s, put)
	put(version.Name, int(s.Seq))
}

// ofBuildingGauges reads off the log what clusters that are built wait for.
func ofBuildingGauges(s *fleet.State, put put) {
	waits, person, behind, fallen := map[fleet.ConditionType]int{}, 0, 0, 0
	for _, l := range s.Lives {
		c := &l.Course
		if c.Retired != 0 {
			continue
		}
		missing, asks, past := missingOf(l)
		person, behind = person+oneIf(asks), behind+oneIf(past)
		switch serves := c.Produced != 0 && c.Generation == l.Generation; {
		case missing == "" || c.Retiring != 0:
		case serves:
			fallen++
		case c.Produced == 0:
			waits[missing]++
		}
	}
	for _, t := range fleet.ConditionTypes()[:slices.Index(fleet.ConditionTypes(), fleet.WorkEnded)] {
		put(building.Name, waits[t], string(t))
	}
	put(asking.Name, person)
	put(late.Name, behind)
	put(degraded.Name, fallen)
}

// ofPlannedGauges count planned work on nodes.
func ofPlannedGauges(s *fleet.State, put put) {
	t := view.PlannedAt(s, s.Time)
	put(rollouts.Name, t.Running, string(fleet.RolloutRunning))
	put(rollouts.Name, t.Paused, string(fleet.RolloutPaused))
	put(atRisk.Name, t.AtRisk)
	put(conflicts.Name, t.Conflicts)
	put(contradict.Name, t.Contradicted)
	put(overdue.Name, t.Late)
}

// missingOf is the first condition of a cluster that does not hold; "": all do. It says whether
// a person is waited for, and whether a condition is late.
func missingOf(l *fleet.Life) (missing fleet.ConditionType, person, late bool) {
	for _, t := range fleet.ConditionTypes() {
		c, ok := l.Condition(t)
		if !ok || c.Status == fleet.StatusTrue {
			continue
		}
		if missing == "" {
			missing = t
		}
		person, late = person || c.Person, late || c.Late != 0
	}
	return missing, person, late
}

func oneIf(so bool) int {
	if so {
		return 1
	}
	return 0
}
