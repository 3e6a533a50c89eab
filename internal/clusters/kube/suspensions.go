package kube

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
)

// This file starts Jobs and JobSets that were made suspended by taking the suspension
// back, and evicts them by suspending them again. Until then their pods are not made:
// they are pictured, and wait like gated ones. Once they are made they are gated and
// started like any other.

// ownerID tells objects that make pods apart.
type ownerID struct{ kind, namespace, name string }

func ownerIDOf(p *translate.Pod) ownerID {
	return ownerID{p.Owner.Kind, p.Namespace, p.Owner.Asked()}
}

// virtual lists the pods that suspended objects would make, where none of theirs is
// there: those that are not on their way out stand for them.
func virtual(all []translate.Suspendable, pods []translate.Pod) (list []translate.Pod) {
	there := map[ownerID]bool{}
	for i := range pods {
		if p := &pods[i]; !p.Over && !p.Leaving {
			there[ownerIDOf(p)] = true
		}
	}
	for _, s := range all {
		if s.Suspended && !there[ownerID{s.Kind, s.Namespace, s.Name}] {
			list = append(list, s.Pods...)
		}
	}
	return list
}

// waitingSuspended lists the pods that suspended objects of enrolled namespaces would
// make, and remembers which objects may be suspended.
func (a *Agent) waitingSuspended(pods []translate.Pod) []translate.Pod {
	enrolled := a.watch.extras.enrolled()
	all := a.watch.extras.suspendable()
	all = slices.DeleteFunc(all, func(s translate.Suspendable) bool { return !enrolled[translate.Bare(s.Namespace)] })
	a.mu.Lock()
	a.suspendable = suspendables(all)
	gone := func(of ownerID) bool { _, there := a.suspendable[of]; return !there }
	maps.DeleteFunc(a.toggled, func(of ownerID, _ toggle) bool { return gone(of) })
	maps.DeleteFunc(a.toldOwner, func(of ownerID, _ string) bool { return gone(of) })
	a.mu.Unlock()
	markDone(pods, suspendables(all))
	return virtual(all, pods)
}

// markDone notes on the pods of parts that have finished that nothing of these is left.
func markDone(pods []translate.Pod, may map[ownerID]translate.Suspendable) {
	for i := range pods {
		if p := &pods[i]; p.Over && p.Owner.Pool != "" {
			s, is := may[ownerIDOf(p)]
			p.Owner.Done = p.Owner.Done || is && s.UID == p.Owner.UID && slices.Contains(s.Done, p.Owner.Pool)
		}
	}
}

// suspendables are the objects that may be suspended, by what they are.
func suspendables(all []translate.Suspendable) map[ownerID]translate.Suspendable {
	by := make(map[ownerID]translate.Suspendable, len(all))
	for _, s := range all {
		by[ownerID{s.Kind, s.Namespace, s.Name}] = s
	}
	return by
}

// nobodyStarts says of something that is suspended that Muster will not start it: its
// namespace is not enrolled any more, or it has no target. It keeps no room.
func (a *Agent) nobodyStarts(of ownerID) bool {
	if of.kind != "Job" && of.kind != "JobSet" {
		return true // these are for others to start
	}
	if !a.watch.extras.shows(of.kind) {
		return false // that is not known yet
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	_, may := a.suspendable[of]
	return !may
}

// unsuspend lets what makes a pod make it, once for all of its pods.
func (a *Agent) unsuspend(ctx context.Context, p translate.Pod) error {
	return a.setSuspended(ctx, ownerIDOf(&p), p.Owner.UID, false)
}

// suspends says whether a pod that must leave does so because what makes it is
// suspended: where all of its workload leaves, and as long as there is time.
func (a *Agent) suspends(e evict) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, can := a.suspendable[ownerIDOf(&e.pod)]
	return can && e.whole && a.Now() < e.until
}

// suspend lets what makes a pod take all of its pods away.
func (a *Agent) suspend(ctx context.Context, p translate.Pod) error {
	a.mu.Lock()
	s := a.suspendable[ownerIDOf(&p)]
	a.mu.Unlock()
	if s.Suspended {
		return nil
	}
	return a.setSuspended(ctx, ownerIDOf(&p), s.UID, true)
}

// sayOwner writes an event about what is suspended, when the reason why it waits is
// another: it has no pods that could say it. nil: there is nothing new.
func (a *Agent) sayOwner(ctx context.Context, p translate.Pod, is word) func() error {
	of := ownerIDOf(&p)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.toldOwner[of] == is.reason {
		return nil
	}
	a.toldOwner[of] = is.reason
	return func() error { return a.client.NoteOn(ctx, of, p.Owner.UID, is.reason, is.message, a.Now().Time()) }
}

func (a *Agent) setSuspended(ctx context.Context, of ownerID, uid string, to bool) error {
	a.mu.Lock()
	last := a.toggled[of]
	again := last.to != to || time.Since(last.at) > resend
	if again {
		a.toggled[of] = toggle{to, time.Now()}
	}
	a.mu.Unlock()
	if !again {
		return nil
	}
	a.Log.Info("suspends or starts", "cluster", a.Translate.Cluster, "kind", of.kind, "object", of.namespace+"/"+of.name, "suspended", to)
	return a.client.Suspend(ctx, of, uid, to)
}

// toggle is a change of an object's suspension that was sent.
type toggle struct {
	to bool
	at time.Time
}

// Suspend suspends an object that makes pods, or takes that back.
func (c *Client) Suspend(ctx context.Context, of ownerID, uid string, to bool) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	data, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": uid, "annotations": map[string]string{translate.AnnotationSuspends: "true"}},
		"spec":     map[string]any{"suspend": to},
	})
	if err != nil {
		return err
	}
	_, err = c.dynamic.Resource(owners[of.kind]).Namespace(translate.Bare(of.namespace)).Patch(ctx, of.name, types.MergePatchType, data, metav1.PatchOptions{})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil // it is gone, or another: the next picture shows that
	}
	return err
}
