package kube

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// census is the nodes of a cluster that is built, beside its record.
type census struct {
	nodes   []countedNode
	strange []string // what does not fit the record
}

// countedNode is a node that fits the record.
type countedNode struct {
	name, uid, island string
	ready             bool
}

// mostNodes bounds a page of nodes.
const mostNodes = 1000

// census reads the nodes of a cluster, page by page, all of them or none.
func (c *Client) census(ctx context.Context, r *fleet.ClusterRecord) (n census, _ error) {
	o := translate.Defaults(r.Name)
	for next := ""; ; {
		var page corev1.NodeList
		call := c.core.Get().Resource("nodes").Param("limit", fmt.Sprint(mostNodes)).Param("continue", next)
		if err := call.Do(ctx).Into(&page); err != nil {
			return n, fmt.Errorf("the nodes of cluster %s: %w", r.Name, err)
		}
		for i := range page.Items {
			n.count(&page.Items[i], r, &o)
		}
		if next = page.Continue; next == "" {
			return n, nil
		}
	}
}

// count adds a node that has GPUs.
func (n *census) count(of *corev1.Node, r *fleet.ClusterRecord, o *translate.Options) {
	is := translate.NodeOf(of, o)
	if is.GPUs == 0 {
		return
	}
	if why := misfit(&is, r); why != "" {
		n.strange = append(n.strange, "node "+of.Name+" "+why)
		return
	}
	n.nodes = append(n.nodes, countedNode{of.Name, string(of.UID), is.Island, readyNow(of) && is.Broken == "" && is.Dead == 0})
}

// misfit says why a node is none of the record's; "": it is one.
func misfit(n *translate.Node, r *fleet.ClusterRecord) string {
	switch {
	case n.GPU != r.GPU:
		return fmt.Sprintf("has GPUs %q, and the record says %q (its label muster.dev/gpu may say so, too)", n.GPU, r.GPU)
	case n.GPUs != r.GPUsPerNode:
		return fmt.Sprintf("has %d GPUs, and the record says %d", n.GPUs, r.GPUsPerNode)
	}
	for _, i := range r.Islands {
		if i.Name == n.Island {
			return ""
		}
	}
	return fmt.Sprintf("is in island %q, which the record does not have (its label muster.dev/island may name another)", n.Island)
}

func readyNow(n *corev1.Node) bool {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// enough says whether the wanted share of each island's nodes is ready, and what is missing.
func (n *census) enough(r *fleet.ClusterRecord, b *fleet.Blueprint) (bool, string) {
	return n.share(r, b, "ready", func(x countedNode) bool { return x.ready })
}

// share says whether the wanted share of each island's nodes is as is asked.
func (n *census) share(r *fleet.ClusterRecord, b *fleet.Blueprint, word string, is func(countedNode) bool) (bool, string) {
	var short []string
	all := 0
	for _, i := range r.Islands {
		have := 0
		for _, x := range n.nodes {
			if x.island == i.Name && is(x) {
				have++
			}
		}
		if all += have; have < b.Wanted(i.Nodes) {
			short = append(short, fmt.Sprintf("island %s: %d of %d nodes are %s, %d are wanted", i.Name, have, i.Nodes, word, b.Wanted(i.Nodes)))
		}
	}
	text := fmt.Sprintf("%d of %d nodes are %s", all, r.Nodes(), word)
	if len(short) > 0 {
		text = strings.Join(append(short, firstOf(n.strange)...), "; ")
	}
	return len(short) == 0, text
}

// firstOf is the first few of a list, and how many more there are.
func firstOf(list []string) []string {
	const few = 3
	if len(list) <= few {
		return list
	}
	return append(list[:few:few], fmt.Sprintf("and %d more", len(list)-few))
}
