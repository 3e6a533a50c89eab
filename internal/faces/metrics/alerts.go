package metrics

import (
	"bytes"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Alert is something that a person should be told.
type Alert struct {
	Name     string
	Expr     string // PromQL over the metrics of the catalogue
	For      string // how long it must hold
	Severity string // page: now; ticket: in working hours
	Summary  string
	Do       string // what to do about it, with the command that shows more
}

// Alerts lists what Muster thinks worth telling.
func Alerts() []Alert {
	return slices.Concat(promiseAlerts(), buildingAlerts(), plannedAlerts(), serverAlerts())
}

// promiseAlerts are about what was promised, and what it stands on.
func promiseAlerts() []Alert {
	return []Alert{
		{
			Name: "MusterPromiseUnbacked", Expr: `muster_gpus_unbacked > 0`,
			For: "5m", Severity: "page",
			Summary: "{{ $value }} GPUs of quota in {{ $labels.cluster }}/{{ $labels.gpu }} stand on no healthy node",
			Do:      "muster capacity {{ $labels.cluster }}/{{ $labels.gpu }} says what is down; muster quota list whose quota it is; a haircut brings promises back to healthy nodes.",
		},
		{
			Name: "MusterGangUnbacked", Expr: `muster_quota_gang_unbacked > 0`,
			For: "5m", Severity: "page",
			Summary: "the gang of {{ $labels.quota }} in {{ $labels.cluster }}/{{ $labels.gpu }} fits in no island whole",
			Do:      "muster quota show {{ $labels.quota }} names the best island and what is missing there.",
		},
		{
			Name: "MusterUnprotectedWork", Expr: `muster_gpus_over > 0`,
			For: "15m", Severity: "ticket",
			Summary: "{{ $value }} GPUs of running work in {{ $labels.cluster }}/{{ $labels.gpu }} are no longer covered by backing",
			Do:      "muster job list shows it as unprotected; it runs on until work inside a backing needs its GPUs.",
		},
		{
			Name: "MusterBufferNearlyUsed", Expr: `(muster_gpus_installed - muster_gpus_healthy) > 0.8 * (muster_gpus_installed - muster_gpus_promisable) and muster_gpus_healthy < muster_gpus_installed`,
			For: "15m", Severity: "ticket",
			Summary: "more than 80 % of the buffer of {{ $labels.cluster }}/{{ $labels.gpu }} is down",
			Do:      "muster get nodes lists what is down and why; the next failures will cost quotas their backing.",
		},
		{
			Name: "MusterBreakerOpen", Expr: `muster_breaker_open > 0`,
			For: "0m", Severity: "page",
			Summary: "automatic quarantine has stopped in {{ $labels.cluster }}/{{ $labels.gpu }} and waits for a person",
			Do:      "muster health {{ $labels.cluster }}/{{ $labels.gpu }} shows what tripped it; muster health reset lets it act again.",
		},
		{
			Name: "MusterClusterStale", Expr: `muster_cluster_stale > 0`,
			For: "1m", Severity: "page",
			Summary: "{{ $labels.cluster }} has stopped to report; nothing new starts there",
			Do:      "its backing stays as it was; look at its agent and its API server.",
		},
	}
}

// buildingAlerts are about clusters that are built.
func buildingAlerts() []Alert {
	return []Alert{
		{
			Name: "MusterBuildWaitsForPerson", Expr: `muster_building_person > 0`,
			For: "4h", Severity: "ticket",
			Summary: "{{ $value }} clusters that are built wait for a person",
			Do:      "muster cluster list shows which; muster cluster why CLUSTER says for what, and since when.",
		},
		{
			Name: "MusterBuildLate", Expr: `muster_building_late > 0`,
			For: "15m", Severity: "ticket",
			Summary: "{{ $value }} clusters are later than nine of ten were",
			Do:      "muster cluster list has them first; muster cluster show CLUSTER has the tries and the last error.",
		},
		{
			Name: "MusterClusterDegraded", Expr: `muster_building_degraded > 0`,
			For: "20m", Severity: "page",
			Summary: "{{ $value }} clusters in production have a condition that does not hold",
			Do:      "muster cluster why CLUSTER names the condition, and what was seen.",
		},
	}
}

// plannedAlerts are about planned work on nodes.
func plannedAlerts() []Alert {
	return []Alert{
		{
			Name: "MusterRolloutPaused", Expr: `muster_rollouts{state="paused"} > 0`,
			For: "15m", Severity: "ticket",
			Summary: "{{ $value }} rollouts are paused",
			Do:      "muster rollout list says by whom or which gate; muster rollout resume or abandon goes on.",
		},
		{
			Name: "MusterDeadlineAtRisk", Expr: `muster_rollouts_at_risk > 0`,
			For: "15m", Severity: "ticket",
			Summary: "{{ $value }} rollouts have more visits ahead than time until a deadline",
			Do:      "muster rollout list says what they wait for; larger limits, an owner's agreement or a shorter no-fly zone help.",
		},
		{
			Name: "MusterZoneConflict", Expr: `muster_zone_conflicts > 0`,
			For: "0m", Severity: "ticket",
			Summary: "{{ $value }} deadlines or announced maintenances fall inside a no-fly zone",
			Do:      "muster nfz list names them; the provider does not heed zones.",
		},
		{
			Name: "MusterClaimContradicted", Expr: `muster_claims_contradicted > 0`,
			For: "0m", Severity: "ticket",
			Summary: "{{ $value }} updates interrupt work more than they claim",
			Do:      "muster update list shows what they count as now; muster rollout list has the evidence.",
		},
		{
			Name: "MusterVisitLate", Expr: `muster_visits_late > 0`,
			For: "30m", Severity: "ticket",
			Summary: "{{ $value }} nodes are under maintenance for longer than planned",
			Do:      "muster maintenance list shows them; muster maintenance done or failed ends a visit that people carry out.",
		},
	}
}

// serverAlerts are about Muster itself.
func serverAlerts() []Alert {
	return []Alert{
		{
			Name: "MusterCommandsFail", Expr: `increase(muster_commands_total{outcome="failed"}[5m]) > 0`,
			For: "1m", Severity: "page",
			Summary: "commands fail: the journal or the machine, not what was asked",
			Do:      "muster status; disk space and the server's log.",
		},
		{
			Name: "MusterAbsent", Expr: `absent(muster_state_version)`,
			For: "2m", Severity: "page",
			Summary: "no Muster answers here",
			Do:      "work that runs goes on; nothing new is decided until it is back.",
		},
	}
}

// rules are alert rules as Prometheus reads them.
type rules struct {
	Groups []ruleGroup `yaml:"groups"`
}

type ruleGroup struct {
	Name  string `yaml:"name"`
	Rules []rule `yaml:"rules"`
}

type rule struct {
	Alert       string            `yaml:"alert"`
	Expr        string            `yaml:"expr"`
	For         string            `yaml:"for"`
	Labels      map[string]string `yaml:"labels"`
	Annotations map[string]string `yaml:"annotations"`
}

// AlertRules are the alerts as a rule file for Prometheus.
func AlertRules() ([]byte, error) {
	group := ruleGroup{Name: "muster"}
	for _, a := range Alerts() {
		group.Rules = append(group.Rules, rule{
			Alert: a.Name, Expr: a.Expr, For: a.For,
			Labels:      map[string]string{"severity": a.Severity},
			Annotations: map[string]string{"summary": a.Summary, "description": a.Do},
		})
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	err := enc.Encode(rules{[]ruleGroup{group}})
	return b.Bytes(), err
}
