package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
)

// place says whether the server leads or follows, and how far it is behind then.
type place struct{ m *Metrics }

var (
	leadsDesc   = prometheus.NewDesc(leads.Name, leads.Help, nil, nil)
	laggingDesc = prometheus.NewDesc(lagging.Name, lagging.Help, nil, nil)
)

// Describe names both gauges.
func (p place) Describe(to chan<- *prometheus.Desc) {
	to <- leadsDesc
	to <- laggingDesc
}

// Collect reads both at once.
func (p place) Collect(to chan<- prometheus.Metric) {
	leading, behind := 1.0, 0.0
	if p.m.Lag != nil {
		if lag, follows := p.m.Lag(); follows {
			leading, behind = 0, lag.Seconds()
		}
	}
	to <- prometheus.MustNewConstMetric(leadsDesc, prometheus.GaugeValue, leading)
	to <- prometheus.MustNewConstMetric(laggingDesc, prometheus.GaugeValue, behind)
}
