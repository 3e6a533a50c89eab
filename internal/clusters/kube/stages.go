package kube

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/muster-fleet/muster/internal/clusters/kube/marks"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// staging is a node that should show another stage of its maintenance, or a pod that should be told of it.
type staging struct {
	node       string
	pod        translate.Pod // its UID is "" where the node itself is meant
	stage, why string
}

// showStages lets nodes show the stages of their maintenance, and tells the pods that stand there.
func (c *nodeController) showStages(ctx context.Context, p Snapshot) {
	var todo []staging
	c.engine.Read(func(s *fleet.State) { todo = stagings(s, c.Translate.Cluster, p) })
	var calls []func() error
	for _, x := range todo[:min(len(todo), mostMarked)] {
		calls = append(calls, func() error {
			if x.pod.UID == "" {
				return c.client.ShowStage(ctx, translate.Bare(x.node), x.stage, x.why, c.Now().Time())
			}
			return c.client.TellPlanned(ctx, x.pod, x.stage, x.why, c.Now().Time())
		})
	}
	c.atOnce(ctx, calls)
}

// stagings lists the nodes that show another stage than they have, and the pods that were told something else.
func stagings(s *fleet.State, cluster string, p Snapshot) (list []staging) {
	stands := map[string]staging{}
	for _, n := range p.Nodes {
		is := nodeOf(s, cluster, n.Name)
		if is == nil {
			continue
		}
		x := staging{node: n.Name}
		x.stage, x.why = marks.Stage(s, is)
		if stands[n.Name] = x; x.stage != n.Stage {
			list = append(list, x)
		}
	}
	for _, w := range p.Work {
		for _, part := range w.Pools {
			for _, pod := range part.Pods {
				x, known := stands[pod.Node]
				if pod.Virtual || pod.Over || pod.Leaving || pod.Node == "" || !known || translate.Clip(x.why) == pod.Planned {
					continue
				}
				x.pod = pod
				list = append(list, x)
			}
		}
	}
	return list
}

// ShowStage lets a node show a stage of its maintenance, "" for none, and takes away the one that Muster had set.
func (c *Client) ShowStage(ctx context.Context, node, stage, why string, at time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var is corev1.Node
	if err := c.core.Get().Resource("nodes").Name(node).Do(ctx).Into(&is); err != nil {
		return notThere(err)
	}
	return notThere(c.patchNode(ctx, node, types.StrategicMergePatchType, marks.StageCondition(&is, stage, why, at), "status"))
}

// TellPlanned tells a pod which maintenance its node is to have or has, by an event and by its condition
// muster.dev/MaintenancePlanned; no stage: there is none any more. The condition goes last: until it says so the pod is told again.
func (c *Client) TellPlanned(ctx context.Context, p translate.Pod, stage, why string, at time.Time) error {
	reason, says, status := plannedReason(p, stage), why, corev1.ConditionTrue
	if stage == "" {
		says, status = "No maintenance of its node is known any more.", corev1.ConditionFalse
	}
	if err := c.Note(ctx, p, reason, says, at); err != nil {
		return gone(err)
	}
	condition := corev1.PodCondition{Type: translate.ConditionPlanned, Status: status, Reason: reason, Message: says, LastTransitionTime: metav1.Time{Time: at}}
	return gone(c.patch(ctx, p, map[string]any{"metadata": map[string]any{"uid": p.UID}, "status": map[string]any{"conditions": []corev1.PodCondition{condition}}}, "status"))
}

// plannedReason is what has happened to the maintenance of a pod's node.
func plannedReason(p translate.Pod, stage string) string {
	switch {
	case stage == "":
		return "MaintenanceOver"
	case stage != translate.StagePlanned:
		return "MaintenanceBegins"
	case p.Planned != "":
		return "MaintenanceMoved"
	}
	return "MaintenanceAnnounced"
}
