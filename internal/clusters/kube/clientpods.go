package kube

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Start starts a pod on a node: it is bound to it, or left to kube-scheduler. Doing it again
// changes nothing.
func (c *Client) Start(ctx context.Context, p translate.Pod, node string) error {
	if p.Binds {
		return c.bind(ctx, p, node)
	}
	return c.ungate(ctx, p, node)
}

// bind binds a pod to a node in one write. The API server refuses it for a pod that is bound
// already, that has gates, or that is not the one that was seen.
func (c *Client) bind(ctx context.Context, p translate.Pod, node string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	node = translate.Bare(node)
	return c.core.Post().Namespace(translate.Bare(p.Namespace)).Resource("pods").Name(p.Name).SubResource("binding").
		Body(&corev1.Binding{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Binding"},
			ObjectMeta: metav1.ObjectMeta{
				Name: p.Name, Namespace: translate.Bare(p.Namespace), UID: types.UID(p.UID), Annotations: map[string]string{translate.AnnotationNode: node},
			},
			Target: corev1.ObjectReference{Kind: "Node", Name: node},
		}).Do(ctx).Error()
}

// ungate takes a pod's gate away, and lets it run on that node alone. kube-scheduler still
// checks everything besides.
func (c *Client) ungate(ctx context.Context, p translate.Pod, node string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	node = translate.Bare(node)
	terms, err := c.requiredNodes(ctx, p)
	if err != nil {
		return err
	}
	for i := range terms { // terms are alternatives: each must name the node
		terms[i].MatchFields = append(terms[i].MatchFields, corev1.NodeSelectorRequirement{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}})
	}
	return c.patch(ctx, p, map[string]any{
		"metadata": map[string]any{"uid": p.UID, "annotations": map[string]string{translate.AnnotationNode: node}},
		"spec": map[string]any{
			"schedulingGates": []map[string]string{{"$patch": "delete", "name": translate.Gate}},
			"affinity": map[string]any{"nodeAffinity": map[string]any{
				"requiredDuringSchedulingIgnoredDuringExecution": corev1.NodeSelector{NodeSelectorTerms: terms},
			}},
		},
	})
}

// requiredNodes are the node terms that a pod requires by itself: they must stay beside the node
// that it is pinned to. A pod that requires none has one empty term. The pod is read anew: its
// translation does not keep the terms.
func (c *Client) requiredNodes(ctx context.Context, p translate.Pod) ([]corev1.NodeSelectorTerm, error) {
	none := []corev1.NodeSelectorTerm{{}}
	if !p.Choosy {
		return none, nil
	}
	var pod corev1.Pod
	if err := c.core.Get().Namespace(translate.Bare(p.Namespace)).Resource("pods").Name(p.Name).Do(ctx).Into(&pod); err != nil {
		return nil, err
	}
	a := pod.Spec.Affinity
	if a == nil || a.NodeAffinity == nil || a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return none, nil
	}
	return a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms, nil
}

// patch changes a pod by a strategic merge, in which uid guards against another pod of its name.
func (c *Client) patch(ctx context.Context, p translate.Pod, patch any, subresource ...string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	data, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	return c.core.Patch(types.StrategicMergePatchType).Namespace(translate.Bare(p.Namespace)).Resource("pods").Name(p.Name).SubResource(subresource...).Body(data).Do(ctx).Error()
}

// Evict asks a pod to leave within a grace. A disruption budget may refuse that while grace is
// left; without grace the pod is deleted, which no budget refuses.
func (c *Client) Evict(ctx context.Context, p translate.Pod, grace time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	seconds := int64(max(0, grace.Seconds()))
	uid := types.UID(p.UID)
	options := &metav1.DeleteOptions{GracePeriodSeconds: &seconds, Preconditions: &metav1.Preconditions{UID: &uid}}
	if grace > 0 {
		err := c.core.Post().Namespace(translate.Bare(p.Namespace)).Resource("pods").Name(p.Name).SubResource("eviction").
			Body(&policyv1.Eviction{
				TypeMeta:   metav1.TypeMeta{APIVersion: "policy/v1", Kind: "Eviction"},
				ObjectMeta: metav1.ObjectMeta{Name: p.Name, Namespace: translate.Bare(p.Namespace)}, DeleteOptions: options,
			}).Do(ctx).Error()
		return gone(err)
	}
	return c.delete(ctx, p, options)
}

// deletionCost is the annotation by which a controller that scales down chooses pods: the lowest
// cost goes first. A pod without it counts as 0, so leavesFirst comes before all of those.
const (
	deletionCost = "controller.kubernetes.io/pod-deletion-cost"
	leavesFirst  = "-1000000"
)

// Cheapen lowers a pod's deletion cost: a controller that has too many pods takes this one first.
func (c *Client) Cheapen(ctx context.Context, p translate.Pod) error {
	return gone(c.patch(ctx, p, map[string]any{"metadata": map[string]any{"uid": p.UID, "annotations": map[string]string{deletionCost: leavesFirst}}}))
}

// Remove deletes a pod with its own grace.
func (c *Client) Remove(ctx context.Context, p translate.Pod) error {
	uid := types.UID(p.UID)
	return c.delete(ctx, p, &metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
}

func (c *Client) delete(ctx context.Context, p translate.Pod, o *metav1.DeleteOptions) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return gone(c.core.Delete().Namespace(translate.Bare(p.Namespace)).Resource("pods").Name(p.Name).Body(o).Do(ctx).Error())
}

// gone takes an error that says the pod is not there any more, or another is in
// its place, for success.
func gone(err error) error {
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}

// certain says whether an error is a refusal by the API server: then nothing was done. After any
// other error, as a timeout, the call may have been carried out.
func certain(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && !apierrors.IsServerTimeout(err) && !apierrors.IsTimeout(err) && !apierrors.IsInternalError(err)
}

// graceLeft is the time until a moment, in whole seconds.
func graceLeft(until, now fleet.Instant) time.Duration {
	return max(0, until.Sub(now)).Round(time.Second)
}
