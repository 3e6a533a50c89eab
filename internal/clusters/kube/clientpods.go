package kube

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Start lets a pod start on a node: its gate is taken away, and it may run nowhere
// else. kube-scheduler still checks everything besides. Doing it again changes nothing.
func (c *Client) Start(ctx context.Context, p translate.Pod, node string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	node = translate.Bare(node)
	terms := []corev1.NodeSelectorTerm{{}}
	if p.Choosy { // what the pod itself asks for must stay
		var is corev1.Pod
		if err := c.core.Get().Namespace(translate.Bare(p.Namespace)).Resource("pods").Name(p.Name).Do(ctx).Into(&is); err != nil {
			return err
		}
		if f := is.Spec.Affinity; f != nil && f.NodeAffinity != nil && f.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil {
			terms = f.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
		}
	}
	for i := range terms {
		terms[i].MatchFields = append(terms[i].MatchFields, corev1.NodeSelectorRequirement{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}})
	}
	patch := map[string]any{
		"metadata": map[string]any{"uid": p.UID, "annotations": map[string]string{translate.AnnotationNode: node}},
		"spec": map[string]any{
			"schedulingGates": []map[string]string{{"$patch": "delete", "name": translate.Gate}},
			"affinity": map[string]any{"nodeAffinity": map[string]any{
				"requiredDuringSchedulingIgnoredDuringExecution": corev1.NodeSelector{NodeSelectorTerms: terms},
			}},
		},
	}
	return c.patch(ctx, p, patch)
}

func (c *Client) patch(ctx context.Context, p translate.Pod, patch any, subresource ...string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	data, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	return c.core.Patch(types.StrategicMergePatchType).Namespace(translate.Bare(p.Namespace)).Resource("pods").Name(p.Name).SubResource(subresource...).Body(data).Do(ctx).Error()
}

// Evict asks a pod to leave within a grace. Whoever protects it (a disruption
// budget) is heard while there is time; then it is deleted all the same.
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

// costs says to what scales pods which of them to take away first; those that leave
// come before all that say nothing, which count as 0.
const (
	costs = "controller.kubernetes.io/pod-deletion-cost"
	least = "-1000000"
)

// Cheapen lets a controller that has too many pods take this one away first.
func (c *Client) Cheapen(ctx context.Context, p translate.Pod) error {
	return gone(c.patch(ctx, p, map[string]any{"metadata": map[string]any{"uid": p.UID, "annotations": map[string]string{costs: least}}}))
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

// Say sets the condition muster.dev/Admitted of a pod.
func (c *Client) Say(ctx context.Context, p translate.Pod, admitted bool, reason, message string, at time.Time) error {
	status := corev1.ConditionFalse
	if admitted {
		status = corev1.ConditionTrue
	}
	condition := corev1.PodCondition{Type: translate.Condition, Status: status, Reason: reason, Message: message, LastTransitionTime: metav1.Time{Time: at}}
	return gone(c.patch(ctx, p, map[string]any{"metadata": map[string]any{"uid": p.UID}, "status": map[string]any{"conditions": []corev1.PodCondition{condition}}}, "status"))
}

// Note writes an event about a pod, as kubectl describe shows it.
func (c *Client) Note(ctx context.Context, p translate.Pod, reason, message string, at time.Time) error {
	return c.note(ctx, corev1.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: p.Namespace, Name: p.Name, UID: types.UID(p.UID)}, reason, message, at)
}

// NoteOn writes an event about what makes pods.
func (c *Client) NoteOn(ctx context.Context, of ownerID, uid, reason, message string, at time.Time) error {
	version := owners[of.kind].GroupVersion().String()
	return c.note(ctx, corev1.ObjectReference{APIVersion: version, Kind: of.kind, Namespace: of.namespace, Name: of.name, UID: types.UID(uid)}, reason, message, at)
}

func (c *Client) note(ctx context.Context, about corev1.ObjectReference, reason, message string, at time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	now := metav1.Time{Time: at}
	about.Namespace = translate.Bare(about.Namespace)
	return c.core.Post().Namespace(about.Namespace).Resource("events").Body(&corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{GenerateName: "muster-", Namespace: about.Namespace},
		InvolvedObject: about,
		Reason:         reason, Message: clipTo(message, mostMessage), Type: corev1.EventTypeNormal, Source: corev1.EventSource{Component: "muster"},
		FirstTimestamp: now, LastTimestamp: now, Count: 1,
	}).Do(ctx).Error()
}

// mostMessage is the longest message of an event that an API server takes.
const mostMessage = 1024

// clipTo shortens a text to so many bytes, at a letter's end.
func clipTo(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most-3], "") + "..."
}

// owner is what an owner's object says of its size and its end.
type owner struct {
	size  int            // pods, or what is scaled; 0: not said
	sizes map[string]int // pods of each of its parts, where it has several
	at    time.Time      // when it was asked
	group int            // of a LeaderWorkerSet: pods of each group that ask for GPUs; 0: not said
	// staged are its pods as they would be made, where it makes some only once others run.
	staged []translate.Pod
	// counted says that the sizes are of what is left, as the Jobs themselves say.
	counted bool
	object  *unstructured.Unstructured // itself, until it is read
	ending
}

// sizeOf is how many pods a part has.
func (o *owner) sizeOf(part string) int {
	if n, ok := o.sizes[part]; ok {
		return n
	}
	return o.size
}

// owners are the kinds that are asked, by their resource.
var owners = map[string]schema.GroupVersionResource{
	"Job":             {Group: "batch", Version: "v1", Resource: "jobs"},
	"JobSet":          {Group: "jobset.x-k8s.io", Version: "v1alpha2", Resource: "jobsets"},
	"Deployment":      {Group: "apps", Version: "v1", Resource: "deployments"},
	"StatefulSet":     {Group: "apps", Version: "v1", Resource: "statefulsets"},
	"LeaderWorkerSet": {Group: "leaderworkerset.x-k8s.io", Version: "v1", Resource: "leaderworkersets"},
	"RayCluster":      {Group: "ray.io", Version: "v1", Resource: "rayclusters"},
	"MPIJob":          {Group: "kubeflow.org", Version: "v2beta1", Resource: "mpijobs"},
}

// ownerOf asks for the object that made a pod. ok is false where its kind is not
// asked, or it is not there.
func (c *Client) ownerOf(ctx context.Context, namespace, kind, name string) (o owner, ok bool, err error) {
	resource, known := owners[kind]
	if !known {
		return owner{}, false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	is, err := c.dynamic.Resource(resource).Namespace(translate.Bare(namespace)).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) { // forbidden is no answer: it may be so for a moment only
		return owner{}, false, nil
	}
	if err != nil {
		return owner{}, false, err
	}
	o = ownerFrom(is.Object)
	o.object = is
	return o, true, nil
}

// certain says whether an error came from the API server: then nothing was done.
func certain(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && !apierrors.IsServerTimeout(err) && !apierrors.IsTimeout(err) && !apierrors.IsInternalError(err)
}

// graceLeft is the time until a moment, in whole seconds.
func graceLeft(until, now fleet.Instant) time.Duration {
	return max(0, until.Sub(now)).Round(time.Second)
}
