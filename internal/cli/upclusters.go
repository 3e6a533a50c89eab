package cli

import (
	"bytes"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
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
}

// mostClusters bounds a file of clusters.
const mostClusters = 1000

// real checks what was asked for of real clusters.
func (o *upOptions) real() error {
	switch {
	case o.Agents == "" && o.AgentsTLS != "":
		return usage("--agents-tls says how agents are known, and --agents HOST:PORT where they dial in; give both")
	case o.UpOptions.Demo && (o.Agents != "" || o.clusters != ""):
		return usage("--demo is a simulated fleet; leave --agents and --clusters out, or --demo")
	case o.clusters == "":
		return nil
	}
	data, err := o.open(o.clusters)
	if err != nil {
		return err
	}
	o.UpOptions.Clusters, err = readClusters(data)
	if err != nil {
		return Malformed(fmt.Errorf("%s: %w", o.clusters, err))
	}
	return nil
}

func readClusters(data []byte) (list []JoinOptions, err error) {
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
		known[c.Name] = true
		list = append(list, JoinOptions{Kubeconfig: c.Kubeconfig, Context: c.Context, Name: c.Name, Manage: c.Mode == "manage", Kueue: c.Mode == "kueue", Quotas: c.Quotas != "none"})
	}
	return list, nil
}
