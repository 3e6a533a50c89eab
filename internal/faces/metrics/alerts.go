package metrics

import (
	"bytes"

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
	return []Alert{
		{
			"MusterPromiseUnbacked", `muster_gpus_unbacked > 0`, "5m", "page",
			"{{ $value }} GPUs of quota in {{ $labels.cluster }}/{{ $labels.gpu }} stand on no healthy node",
			"muster capacity {{ $labels.cluster }}/{{ $labels.gpu }} says what is down; muster quota list whose quota it is; a haircut brings promises back to metal.",
		},
		{
			"MusterGangUnbacked", `muster_quota_gang_unbacked > 0`, "5m", "page",
			"the gang of {{ $labels.quota }} in {{ $labels.cluster }}/{{ $labels.gpu }} fits in no island whole",
			"muster quota show {{ $labels.quota }} names the best island and what is missing there.",
		},
		{
			"MusterUnprotectedWork", `muster_gpus_over > 0`, "15m", "ticket",
			"{{ $value }} GPUs of running work in {{ $labels.cluster }}/{{ $labels.gpu }} are no longer covered by backing",
			"muster job list shows it as unprotected; it runs on until work inside a backing needs its GPUs.",
		},
		{
			"MusterBufferNearlyUsed",
			`(muster_gpus_installed - muster_gpus_healthy) > 0.8 * (muster_gpus_installed - muster_gpus_promisable) and muster_gpus_healthy < muster_gpus_installed`,
			"15m", "ticket",
			"more than 80 % of the buffer of {{ $labels.cluster }}/{{ $labels.gpu }} is down",
			"muster get nodes lists what is down and why; the next failures will cost quotas their backing.",
		},
		{
			"MusterBreakerOpen", `muster_breaker_open > 0`, "0m", "page",
			"automatic quarantine has stopped in {{ $labels.cluster }}/{{ $labels.gpu }} and waits for a person",
			"muster health {{ $labels.cluster }}/{{ $labels.gpu }} shows what tripped it; muster health reset lets it act again.",
		},
		{
			"MusterClusterStale", `muster_cluster_stale > 0`, "1m", "page",
			"{{ $labels.cluster }} has stopped to report; nothing new starts there",
			"its backing stays as it was; look at its agent and its API server.",
		},
		{
			"MusterCommandsFail", `increase(muster_commands_total{outcome="failed"}[5m]) > 0`, "1m", "page",
			"commands fail: the journal or the machine, not what was asked",
			"muster status; disk space and the server's log.",
		},
		{
			"MusterAbsent", `absent(muster_state_version)`, "2m", "page",
			"no Muster answers here",
			"work that runs goes on; nothing new is decided until it is back.",
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
