package kube

import (
	"context"
	"encoding/json"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/muster-fleet/muster/internal/clusters/kube/marks"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// mostMarked is how many nodes are marked in one round.
const mostMarked = 200

// marking is a node that should show another mark.
type marking struct{ node, mark, why string }

// showMarks lets the cluster's nodes show the states in which Muster keeps them.
func (c *nodeController) showMarks(ctx context.Context, p Snapshot) {
	var todo []marking
	c.engine.Read(func(s *fleet.State) { todo = markings(s, c.Translate.Cluster, p) })
	var calls []func() error
	for _, m := range todo[:min(len(todo), mostMarked)] {
		calls = append(calls, func() error { return c.client.Mark(ctx, translate.Bare(m.node), m.mark, m.why, c.Now().Time()) })
	}
	c.atOnce(ctx, calls)
}

// markings lists the nodes that show another mark than their state has.
func markings(s *fleet.State, cluster string, p Snapshot) (list []marking) {
	for _, n := range p.Nodes {
		is := nodeOf(s, cluster, n.Name)
		if is == nil {
			continue
		}
		if want := marks.Of(is.State); want != n.Mark {
			list = append(list, marking{n.Name, want, "Muster keeps it " + string(is.State) + ": " + is.Signal})
		}
	}
	return list
}

// nodeOf finds a node of a cluster; nil: it is not known.
func nodeOf(s *fleet.State, cluster, name string) *fleet.Node {
	for _, p := range s.Partitions {
		if at, ok := p.Node(name); ok && p.Cluster == cluster {
			return p.Nodes[at]
		}
	}
	return nil
}

// Mark gives a node a mark, "" for none, and takes away the one that Muster had set.
// It is done on the node as it is: another writer at the same time wins, and it
// is done again in the next round.
func (c *Client) Mark(ctx context.Context, node, mark, why string, at time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	node = translate.Bare(node)
	var is corev1.Node
	if err := c.core.Get().Resource("nodes").Name(node).Do(ctx).Into(&is); err != nil {
		return notThere(err)
	}
	if err := c.patchNode(ctx, node, types.StrategicMergePatchType, marks.Conditions(&is, mark, why, at), "status"); err != nil {
		return notThere(err)
	}
	// The status has its own version of the node; what matters are taints and annotations.
	var now corev1.Node
	if err := c.core.Get().Resource("nodes").Name(node).Do(ctx).Into(&now); err != nil {
		return notThere(err)
	}
	return gone(c.patchNode(ctx, node, types.MergePatchType, marks.Taints(&now, mark)))
}

func (c *Client) patchNode(ctx context.Context, node string, as types.PatchType, patch any, subresource ...string) error {
	data, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	return c.core.Patch(as).Resource("nodes").Name(node).SubResource(subresource...).
		VersionedParams(&metav1.PatchOptions{FieldManager: marks.Manager}, metav1.ParameterCodec).Body(data).Do(ctx).Error()
}

// notThere takes an error that says the object is gone for success.
func notThere(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
