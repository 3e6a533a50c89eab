package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/muster-fleet/muster/internal/faces/metrics"
)

// newMetrics makes `muster metrics`: what a server tells Prometheus, and what to do with it.
func newMetrics(a *app) *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "every metric and what it means",
		Example: "  muster metrics list", Args: needs(0, 0, ""),
		RunE: func(*cobra.Command, []string) error { return a.listMetrics() },
	}
	return group(&cobra.Command{
		Use:     "metrics",
		Short:   "figures for Prometheus: list, dashboard, alerts, markdown",
		Example: "  muster metrics dashboard > muster.json\n  muster metrics alerts > muster.rules.yaml",
	}, list,
		printed(a, "dashboard", "json", "a dashboard for Grafana to import, as JSON", metrics.Dashboard),
		printed(a, "alerts", "rules.yaml", "alert rules for Prometheus, as YAML", metrics.AlertRules),
		printed(a, "markdown", "md", "metrics and alerts as a page", func() ([]byte, error) { return []byte(metrics.Markdown()), nil }),
	)
}

func (a *app) listMetrics() error {
	t := newTable("There are none.", column{head: "METRIC"}, column{head: "KIND"}, column{head: "LABELS"}, column{head: "MEANING", cut: true})
	var value []object
	for _, m := range metrics.Catalogue() {
		t.add(m.Name, string(m.Kind), strings.Join(m.Labels, ","), m.Help)
		value = append(value, object{{"name", m.Name}, {"kind", string(m.Kind)}, {"labels", m.Labels}, {"help", m.Help}})
	}
	return a.print(a.Out, answer{value: value, table: t})
}

// printed makes a command that prints a file as it is; ending: of the file's name.
func printed(a *app, name, ending, short string, made func() ([]byte, error)) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short, Args: needs(0, 0, ""), Example: "  muster metrics " + name + " > muster." + ending,
		RunE: func(*cobra.Command, []string) error {
			text, err := made()
			if err != nil {
				return err
			}
			_, err = a.Out.Write(append([]byte(strings.TrimRight(string(text), "\n")), '\n'))
			return err
		},
	}
}
