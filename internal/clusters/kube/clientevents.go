package kube

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/state/text"
)

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
		Reason:         reason, Message: text.Bound(message, mostMessage), Type: corev1.EventTypeNormal, Source: corev1.EventSource{Component: "muster"},
		FirstTimestamp: now, LastTimestamp: now, Count: 1,
	}).Do(ctx).Error()
}

// mostMessage is the longest message of an event that an API server takes, in bytes.
const mostMessage = 1024
