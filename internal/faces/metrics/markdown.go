package metrics

import (
	"fmt"
	"strings"
)

// Markdown describes all metrics and alerts, for docs/metrics.md.
func Markdown() string {
	var b strings.Builder
	b.WriteString(`# Figures for machines

` + "`muster up`" + ` serves these at ` + "`/metrics`" + ` for Prometheus (with a token where the server has tokens).
Stages that overlap are metrics of their own, states of which exactly one holds share one metric with a label, and no
label grows with load: nodes, workloads and namespaces are not named.

This page, the [Grafana dashboard](../deploy/grafana/muster.json) and the [alert rules](../deploy/prometheus/muster.rules.yaml)
are made from one list: ` + "`muster metrics markdown|dashboard|alerts`" + `.

| metric | kind | labels | meaning |
| --- | --- | --- | --- |
`)
	for _, m := range Catalogue() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", m.Name, m.Kind, strings.Join(m.Labels, ", "), m.Help)
	}
	b.WriteString("\n| alert | when | for | severity | what to do |\n| --- | --- | --- | --- | --- |\n")
	for _, a := range Alerts() {
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s |\n", a.Name, a.Expr, a.For, a.Severity, a.Do)
	}
	return b.String()
}
