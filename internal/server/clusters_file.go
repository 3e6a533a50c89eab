package server

import (
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/faces/cli"
)

// mostClusters bounds a file of clusters.
const mostClusters = 1000

// real checks what was asked for of real clusters.
func (o *upCommand) real() error {
	switch {
	case o.Agents == "" && o.AgentsTLS != "":
		return cli.Usage("--agents-tls says how agents are known, and --agents HOST:PORT where they dial in; give both")
	case (o.AgentsTLS == "") != (len(o.AgentsAllow) == 0):
		return cli.Usage("--agents-tls takes certificates of an authority that signs for others, too; name the clusters that may join: --agents-allow tiger,lion")
	case o.upOptions.Demo && (o.Agents != "" || o.clustersFile != ""):
		return cli.Usage("--demo is a simulated fleet; leave --agents and --clusters out, or --demo")
	case o.clustersFile == "":
		return nil
	}
	data, err := o.ReadFile(o.clustersFile)
	if err != nil {
		return err
	}
	o.upOptions.Clusters, err = readClusters(o.clustersFile, data)
	return cli.Malformed(err)
}

// readClusters reads a file of clusters; name is what messages call it.
func readClusters(name string, data []byte) ([]joinOptions, error) {
	doc, top := yamlfile.Open(name, data)
	entries := top.Fields("clusters").Need("clusters")
	if n := len(entries.List()); entries.IsList() && (n == 0 || n > mostClusters) {
		entries.Fail("clusters lists %d clusters; it takes 1 to %d", n, mostClusters)
	}
	known := map[string]int{}
	list := yamlfile.Each(entries, func(v yamlfile.Value) joinOptions {
		join := readJoin(v)
		if line := known[join.Name]; line > 0 && join.Name != "" {
			v.Fail("cluster %s is listed twice, first in line %d", join.Name, line)
		}
		known[join.Name] = v.Line()
		return join
	})
	return list, doc.Err()
}

// readJoin reads how the server reaches one cluster. Without a kubeconfig it is the one
// that the server runs in.
func readJoin(v yamlfile.Value) joinOptions {
	f := v.Fields("name", "kubeconfig", "context", "mode", "quotas", "fenceAfter", "prometheus")
	mode := f.Need("mode").Word("observe", "kueue", "manage")
	join := joinOptions{
		Name: f.Need("name").Name(), Kubeconfig: f.At("kubeconfig").Text(), Context: f.At("context").Text(), Prometheus: f.At("prometheus").Text(),
		Manage: mode == "manage", Kueue: mode == "kueue", Quotas: true,
	}
	if join.Name != "" && !clusterName.MatchString(join.Name) {
		f.At("name").Fail("name is %.40q; write lower-case letters, digits, dots and dashes, 63 at most", join.Name)
	}
	if f.Has("quotas") {
		join.Quotas = f.At("quotas").Word("cluster", "none") != "none"
	}
	// An empty text is no time, as the chart writes it.
	if fence := f.At("fenceAfter"); fence.Present() && (!fence.IsText() || fence.Text() != "") {
		if join.FenceAfter = fence.Duration(); join.FenceAfter < leastFence || !join.Manage {
			fence.Fail("fenceAfter is for mode manage; write a time of at least %s there, such as 10m", words.Duration(leastFence))
		}
	}
	return join
}
