package server

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/muster-fleet/muster/internal/faces/cli"
)

// clustersFile is a file of clusters that a server reaches by kubeconfigs.
type clustersFile struct {
	Clusters []clusterEntry `yaml:"clusters"`
}

type clusterEntry struct {
	Name       string `yaml:"name"`
	Kubeconfig string `yaml:"kubeconfig"` // "": the cluster that the server runs in
	Context    string `yaml:"context"`
	Mode       string `yaml:"mode"`   // observe, kueue or manage
	Quotas     string `yaml:"quotas"` // cluster (if nothing is said) or none
	// FenceAfter is a time like 10m, in mode manage; "": nodes are not fenced.
	FenceAfter string `yaml:"fenceAfter"`
	Prometheus string `yaml:"prometheus"` // address, as the server reaches it; "": use of GPUs is not measured
}

// mostClusters bounds a file of clusters.
const mostClusters = 1000

// real checks what was asked for of real clusters.
func (o *upCommand) real() error {
	switch {
	case o.Agents == "" && o.AgentsTLS != "":
		return cli.Usage("--agents-tls says how agents are known, and --agents HOST:PORT where they dial in; give both")
	case o.upOptions.Demo && (o.Agents != "" || o.clusters != ""):
		return cli.Usage("--demo is a simulated fleet; leave --agents and --clusters out, or --demo")
	case o.clusters == "":
		return nil
	}
	data, err := o.ReadFile(o.clusters)
	if err != nil {
		return err
	}
	o.upOptions.Clusters, err = readClusters(data)
	if err != nil {
		return cli.Malformed(fmt.Errorf("%s: %w", o.clusters, err))
	}
	return nil
}

func readClusters(data []byte) (list []joinOptions, err error) {
	var file clustersFile
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&file); err != nil {
		return nil, err
	}
	if n := len(file.Clusters); n == 0 || n > mostClusters {
		return nil, fmt.Errorf("it lists %d clusters; under clusters: it takes 1 to %d", n, mostClusters)
	}
	known := map[string]bool{}
	for i, c := range file.Clusters {
		switch {
		case !clusterName.MatchString(c.Name):
			return nil, fmt.Errorf("clusters[%d]: name %.40q; write lower-case letters, digits, dots and dashes, 63 at most", i, c.Name)
		case known[c.Name]:
			return nil, fmt.Errorf("clusters[%d]: %s is listed twice", i, c.Name)
		case !slices.Contains([]string{"observe", "kueue", "manage"}, c.Mode):
			return nil, fmt.Errorf("clusters[%d] (%s): mode %.40q; write observe (nothing is written there), kueue or manage", i, c.Name, c.Mode)
		case c.Quotas != "" && c.Quotas != "cluster" && c.Quotas != "none":
			return nil, fmt.Errorf("clusters[%d] (%s): quotas %.40q; write cluster or none", i, c.Name, c.Quotas)
		}
		fence, err := fenceOf(c)
		if err != nil {
			return nil, fmt.Errorf("clusters[%d] (%s): %w", i, c.Name, err)
		}
		known[c.Name] = true
		list = append(list, joinOptions{
			Kubeconfig: c.Kubeconfig, Context: c.Context, Name: c.Name, Manage: c.Mode == "manage", Kueue: c.Mode == "kueue", Quotas: c.Quotas != "none",
			FenceAfter: fence, Prometheus: c.Prometheus,
		})
	}
	return list, nil
}

func fenceOf(c clusterEntry) (time.Duration, error) {
	if c.FenceAfter == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(c.FenceAfter)
	if err != nil || d < leastFence || c.Mode != "manage" {
		return 0, fmt.Errorf("fenceAfter %.40q; in mode manage, write a time of at least %s, such as 10m", c.FenceAfter, leastFence)
	}
	return d, nil
}
