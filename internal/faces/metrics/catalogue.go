package metrics

// Kind is what a metric does over time.
type Kind string

// The kinds of metrics, in Prometheus's words.
const (
	Gauge     Kind = "gauge"
	Counter   Kind = "counter"
	Histogram Kind = "histogram"
)

// Metric says what one metric means.
type Metric struct {
	Name   string
	Kind   Kind
	Labels []string
	Help   string
}

// Labels that several metrics share.
var (
	ofPartition = []string{"cluster", "gpu"}
	ofQuota     = []string{"quota", "cluster", "gpu"}
)

// stages are the capacity figures of a partition, in the words of the contract.
// They overlap: none of them is a part of a sum.
var stages = []stage{
	{"muster_gpus_installed", "GPUs of all nodes of the partition, whatever their state.", func(f figures) int { return f.Installed }},
	{"muster_gpus_healthy", "GPUs of nodes in state healthy.", func(f figures) int { return f.Healthy }},
	{"muster_gpus_usable", "Healthy GPUs, those of nodes in probation, and the good ones of degraded nodes.", func(f figures) int { return f.Usable }},
	{"muster_gpus_stranded", "GPUs that work still holds on nodes that are not usable.", func(f figures) int { return f.Stranded }},
	{"muster_gpus_promisable", "GPUs that the buffer policy allows to be promised now; it bounds what is backed.", func(f figures) int { return f.Promisable }},
	{"muster_gpus_sustainable", "The same over the long horizon; it bounds what is assigned.", func(f figures) int { return f.Sustainable }},
	{"muster_gpus_assigned", "GPUs granted to quotas by people.", func(f figures) int { return f.Assigned }},
	{"muster_gpus_backed", "The part of what is assigned that promisable nodes back now.", func(f figures) int { return f.Backed }},
	{"muster_gpus_unbacked", "Assigned and not backed.", func(f figures) int { return f.Unbacked }},
	{"muster_gpus_unallocated", "Promisable and not assigned: healthy, promised to no quota.", func(f figures) int { return f.Unallocated }},
	{"muster_gpus_scheduled", "Backed GPUs that quotas use.", func(f figures) int { return f.Scheduled }},
	{"muster_gpus_over", "Usage above backed that nothing covers. Gangs are protected whole or not at all, so as much or more is unprotected.", func(f figures) int { return f.Over }},
	{"muster_gpus_borrowed", "Usage above backed that siblings' unscheduled backing covers.", func(f figures) int { return f.Borrowed }},
	{"muster_gpus_flex", "Usable GPUs that no in-quota work holds or has reserved.", func(f figures) int { return f.Flex }},
	{"muster_gpus_flex_used", "The part of flex that flex work holds or has reserved; what it holds on nodes that are not usable is stranded.", func(f figures) int { return f.FlexUsed }},
	{"muster_gpus_largest_gang", "GPUs of the largest gang that in-quota work could start now in one island: guaranteed in its quota, or borrowing in its tree.", func(f figures) int { return f.LargestGang }},
}

// quotaStages are what a quota has in a partition.
var quotaStages = []quotaStage{
	{"muster_quota_gpus_assigned", "GPUs granted to the quota in the partition.", func(q quotaRow) int { return q.Assigned }},
	{"muster_quota_gpus_backed", "The part of the grant that stands on promisable nodes now.", func(q quotaRow) int { return q.Backed }},
	{"muster_quota_gpus_usage", "GPUs that its workloads hold or have reserved, however they hold them.", func(q quotaRow) int { return q.Usage }},
	{"muster_quota_gpus_borrowed", "Usage above backed that siblings cover.", func(q quotaRow) int { return q.Borrowed }},
	{"muster_quota_gpus_lent", "Unscheduled backing that siblings use.", func(q quotaRow) int { return q.Lent }},
	{"muster_quota_gpus_over", "Usage above backed that nothing covers.", func(q quotaRow) int { return q.Over }},
	{"muster_quota_gang_unbacked", "1 while the gang that the grant declares fits in no island whole.", func(q quotaRow) int { return q.gangUnbacked() }},
}

// The metrics that are not stages.
var (
	nodes       = Metric{"muster_nodes", Gauge, append(ofPartition[:2:2], "state"), "Nodes by state; a node is in exactly one."}
	held        = Metric{"muster_gpus_held", Gauge, append(ofPartition[:2:2], "holds"), "GPUs that in-quota work holds, by how, and that flex work holds."}
	workloads   = Metric{"muster_workloads", Gauge, []string{"state"}, "Workloads that have not ended, by state; a workload is in exactly one."}
	waiting     = Metric{"muster_waiting_gpus", Gauge, []string{"target"}, "GPUs that pending workloads ask for to start, by their target."}
	breaker     = Metric{"muster_breaker_open", Gauge, ofPartition, "1 while automatic quarantine has stopped in the partition and waits for a person."}
	hung        = Metric{"muster_workloads_hung", Gauge, nil, "Running workloads that are busy by the plain figure while tensor cores and network are still."}
	stale       = Metric{"muster_cluster_stale", Gauge, []string{"cluster"}, "1 while the cluster's reports have stopped: its figures are the last known."}
	incidents   = Metric{"muster_incidents_open", Gauge, nil, "Incidents that are open."}
	building    = Metric{"muster_building_clusters", Gauge, []string{"condition"}, "Clusters that are built and not in production yet, by the condition that they wait for; a cluster has exactly one."}
	asking      = Metric{"muster_building_person", Gauge, nil, "Clusters that are built and wait for a person."}
	late        = Metric{"muster_building_late", Gauge, nil, "Clusters of which a condition is past its p90."}
	degraded    = Metric{"muster_building_degraded", Gauge, nil, "Clusters in production of which a condition does not hold at the present generation."}
	rollouts    = Metric{"muster_rollouts", Gauge, []string{"state"}, "Rollouts that are not over: running (those that wait among them) or paused."}
	atRisk      = Metric{"muster_rollouts_at_risk", Gauge, nil, "Rollouts whose remaining visits take longer than the time that is left to a deadline."}
	conflicts   = Metric{"muster_zone_conflicts", Gauge, nil, "Deadlines and announced maintenances that fall inside a no-fly zone, of nodes that it covers."}
	contradict  = Metric{"muster_claims_contradicted", Gauge, nil, "Updates that were measured to do more than they claim."}
	overdue     = Metric{"muster_visits_late", Gauge, nil, "Visits under way that work for longer than planned: as nine of ten visits took, where ten were measured, or as their updates say."}
	version     = Metric{"muster_state_version", Gauge, nil, "Records applied: the version of the state."}
	leads       = Metric{"muster_leads", Gauge, nil, "1 while this server decides, 0 while it follows another."}
	lagging     = Metric{"muster_follower_lag_seconds", Gauge, nil, "Seconds by which a server that follows may be behind the log; 0 while it leads."}
	happened    = Metric{"muster_events_total", Counter, []string{"event"}, "Events since the server started, by kind."}
	commands    = Metric{"muster_commands_total", Counter, []string{"outcome"}, "Commands since the server started: accepted, repeated, refused (the domain says no) or failed (the world did)."}
	commandTime = Metric{"muster_command_seconds", Histogram, nil, "Seconds from a command's arrival at the engine until its answer, durability included."}
)

// Catalogue lists every metric, in the order in which it is described.
func Catalogue() []Metric {
	var list []Metric
	for _, s := range stages {
		list = append(list, Metric{s.name, Gauge, ofPartition, s.help})
	}
	list = append(list, nodes, held)
	for _, s := range quotaStages {
		list = append(list, Metric{s.name, Gauge, ofQuota, s.help})
	}
	return append(list, breaker, workloads, hung, waiting, stale, incidents, building, asking, late, degraded, rollouts, atRisk, conflicts, contradict, overdue, version, leads, lagging, happened, commands, commandTime)
}
