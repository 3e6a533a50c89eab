package metrics

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A panel of the dashboard: a title, what it shows, and how.
type panel struct {
	title  string
	says   string // for who looks at it for the first time
	kind   string // timeseries or stat
	stack  bool   // disjoint states may be stacked; stages may not
	unit   string
	width  int // of 24
	series []series
}

// series is one query and what its lines are called.
type series struct{ expr, legend string }

// ofThese narrows a metric to the partitions chosen at the head of the dashboard.
const ofThese = `{cluster=~"$cluster",gpu=~"$gpu"}`

func sum(metric string) series {
	return series{fmt.Sprintf("sum(%s%s)", metric, ofThese), strings.TrimPrefix(metric, "muster_gpus_")}
}

func sumBy(metric, label string) series {
	return series{fmt.Sprintf("sum by (%s) (%s%s)", label, metric, ofThese), "{{" + label + "}}"}
}

func panels() []panel {
	return []panel{
		{title: "What the fleet can muster", says: "Stages overlap: each line is a part of the one above it.", kind: "timeseries", width: 16, series: []series{
			sum("muster_gpus_installed"), sum("muster_gpus_healthy"), sum("muster_gpus_promisable"), sum("muster_gpus_assigned"), sum("muster_gpus_backed"), sum("muster_gpus_scheduled"),
		}},
		{title: "Unbacked", says: "Granted and not backed. Should be 0.", kind: "stat", width: 4, series: []series{sum("muster_gpus_unbacked")}},
		{title: "Unprotected", says: "Running work that backing no longer covers.", kind: "stat", width: 4, series: []series{sum("muster_gpus_over")}},
		{title: "How GPUs are held", says: "Each GPU counts once.", kind: "timeseries", stack: true, width: 12, series: []series{sumBy(held.Name, "holds")}},
		{title: "Flex", says: "GPUs for work that can be interrupted, and how much of them is used.", kind: "timeseries", width: 12, series: []series{sum("muster_gpus_flex"), sum("muster_gpus_flex_used")}},
		{title: "Nodes by state", kind: "timeseries", stack: true, width: 12, series: []series{sumBy(nodes.Name, "state")}},
		{title: "Buffer used", says: "Of the nodes that the buffer allows to be down, how many are.", kind: "timeseries", unit: "percentunit", width: 12, series: []series{{
			fmt.Sprintf("(muster_gpus_installed%[1]s - muster_gpus_healthy%[1]s) / (muster_gpus_installed%[1]s - muster_gpus_promisable%[1]s > 0)", ofThese), "{{cluster}}/{{gpu}}",
		}}},
		{title: "Quotas: backed", kind: "timeseries", width: 12, series: []series{sumBy("muster_quota_gpus_backed", "quota")}},
		{title: "Quotas: usage", kind: "timeseries", width: 12, series: []series{sumBy("muster_quota_gpus_usage", "quota")}},
		{title: "Workloads by state", kind: "timeseries", stack: true, width: 12, series: []series{{"muster_workloads", "{{state}}"}}},
		{title: "GPUs that wait, by target", kind: "timeseries", stack: true, width: 12, series: []series{{"muster_waiting_gpus > 0", "{{target}}"}}},
		{title: "What happens", says: "Events per second, by kind.", kind: "timeseries", unit: "ops", width: 12, series: []series{
			{`sum by (event) (rate(muster_events_total{event=~"replicas.evicted|replicas.lost|gang.returned|node.changed|workload.submitted"}[5m]))`, "{{event}}"},
		}},
		{title: "Answer to a command", says: "Seconds until it is decided and durable.", kind: "timeseries", unit: "s", width: 12, series: []series{
			{"histogram_quantile(0.5, sum by (le) (rate(muster_command_seconds_bucket[5m])))", "p50"},
			{"histogram_quantile(0.99, sum by (le) (rate(muster_command_seconds_bucket[5m])))", "p99"},
		}},
	}
}

// object is a piece of JSON; encoding/json sorts its keys, so the bytes are always the same.
type object map[string]any

// Dashboard is a dashboard for Grafana, as it imports one.
func Dashboard() ([]byte, error) {
	list := panels()
	drawn := make([]object, 0, len(list))
	x, y := 0, 0
	for i, p := range list {
		if x+p.width > 24 {
			x, y = 0, y+panelHeight
		}
		drawn = append(drawn, p.draw(i+1, x, y))
		x += p.width
	}
	return json.MarshalIndent(object{
		"title": "Muster", "uid": "muster", "schemaVersion": 39, "version": 1, "editable": true, "refresh": "30s",
		"time":       object{"from": "now-7d", "to": "now"},
		"tags":       []string{"muster"},
		"templating": object{"list": []object{source(), choice("cluster", "muster_gpus_installed"), choice("gpu", "muster_gpus_installed")}},
		"panels":     drawn,
	}, "", "  ")
}

const panelHeight = 8

var fromSource = object{"type": "prometheus", "uid": "${datasource}"}

func (p panel) draw(id, x, y int) object {
	targets := make([]object, 0, len(p.series))
	for i, s := range p.series {
		targets = append(targets, object{"expr": s.expr, "legendFormat": s.legend, "refId": string(rune('A' + i)), "datasource": fromSource})
	}
	custom := object{}
	if p.stack {
		custom = object{"fillOpacity": 60, "stacking": object{"mode": "normal"}}
	}
	return object{
		"id": id, "title": p.title, "description": p.says, "type": p.kind, "datasource": fromSource, "targets": targets,
		"gridPos":     object{"x": x, "y": y, "w": p.width, "h": panelHeight},
		"fieldConfig": object{"defaults": object{"unit": or(p.unit, "short"), "min": 0, "custom": custom}, "overrides": []object{}},
	}
}

// source lets people choose where the figures come from.
func source() object {
	return object{"name": "datasource", "type": "datasource", "query": "prometheus"}
}

// choice lets people choose among the values of a label.
func choice(label, metric string) object {
	query := fmt.Sprintf("label_values(%s, %s)", metric, label)
	return object{
		"name": label, "type": "query", "datasource": fromSource, "query": object{"query": query, "refId": label},
		"includeAll": true, "multi": true, "allValue": ".*", "current": object{"text": "All", "value": "$__all"}, "refresh": 2,
	}
}

func or(word, otherwise string) string {
	if word == "" {
		return otherwise
	}
	return word
}
