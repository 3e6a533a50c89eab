package kube

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
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

// suspensionController starts and evicts objects that make pods.
type suspensionController struct {
	*shared

	mu          sync.Mutex
	suspendable map[ownerID]translate.Suspendable
	toggled     map[ownerID]toggle // suspensions that were changed, before the watch shows it
	toldOwner   map[ownerID]string // why a suspended object waits, as it was told
}

func newSuspensionController(s *shared) *suspensionController {
	return &suspensionController{shared: s, toggled: map[ownerID]toggle{}, toldOwner: map[ownerID]string{}}
}

// ownerID tells objects that make pods apart.
type ownerID struct{ kind, namespace, name string }

func ownerIDOf(p *translate.Pod) ownerID {
	return ownerID{p.Owner.Kind, p.Namespace, p.Owner.Asked()}
}

// virtual lists the pods that suspended objects would make, where none of theirs is
// there: those that are not on their way out stand for them.
func virtual(all []translate.Suspendable, pods []translate.Pod) []translate.Pod {
	there := map[ownerID]bool{}
	for i := range pods {
		if p := &pods[i]; !p.Over && !p.Leaving {
			there[ownerIDOf(p)] = true
		}
	}
	var objects [][]translate.Picture
	for _, s := range all {
		if s.Suspended && !there[ownerID{s.Kind, s.Namespace, s.Name}] {
			objects = append(objects, s.Pods)
		}
	}
	return translate.Draw(objects)
}

// waiting lists the pods that suspended objects of enrolled namespaces would
// make, and remembers which objects may be suspended.
func (c *suspensionController) waiting(pods []translate.Pod) []translate.Pod {
	enrolled := c.watch.extras.enrolled()
	all := c.watch.extras.suspendable()
	all = slices.DeleteFunc(all, func(s translate.Suspendable) bool { return !enrolled[translate.Bare(s.Namespace)] })
	c.mu.Lock()
	c.suspendable = suspendables(all)
	gone := func(of ownerID) bool { _, there := c.suspendable[of]; return !there }
	maps.DeleteFunc(c.toggled, func(of ownerID, _ toggle) bool { return gone(of) })
	maps.DeleteFunc(c.toldOwner, func(of ownerID, _ string) bool { return gone(of) })
	c.mu.Unlock()
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

// leftSuspended says of a suspended object that Muster will not start it: its namespace is
// not enrolled any more, or it has no target. No room is kept for it.
func (c *suspensionController) leftSuspended(of ownerID) bool {
	if of.kind != "Job" && of.kind != "JobSet" {
		return true // these are for others to start
	}
	if !c.watch.extras.shows(of.kind) {
		return false // that is not known yet
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, may := c.suspendable[of]
	return !may
}

// unsuspend lets what makes a pod make it, once for all of its pods.
func (c *suspensionController) unsuspend(ctx context.Context, p translate.Pod) error {
	return c.setSuspended(ctx, ownerIDOf(&p), p.Owner.UID, false)
}

// evicts says whether a pod that must leave does so because what makes it is suspended:
// where all of its workload leaves, and as long as there is time.
func (c *suspensionController) evicts(e evictAction) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, can := c.suspendable[ownerIDOf(&e.pod)]
	return can && e.whole && c.Now() < e.until
}

// suspend lets what makes a pod take all of its pods away.
func (c *suspensionController) suspend(ctx context.Context, p translate.Pod) error {
	c.mu.Lock()
	s := c.suspendable[ownerIDOf(&p)]
	c.mu.Unlock()
	if s.Suspended {
		return nil
	}
	return c.setSuspended(ctx, ownerIDOf(&p), s.UID, true)
}

// sayOwner writes an event about what is suspended, when the reason why it waits is
// another: it has no pods that could say it. nil: there is nothing new.
func (c *suspensionController) sayOwner(ctx context.Context, p translate.Pod, is podCondition) func() error {
	of := ownerIDOf(&p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.toldOwner[of] == is.reason {
		return nil
	}
	c.toldOwner[of] = is.reason
	return func() error { return c.client.NoteOn(ctx, of, p.Owner.UID, is.reason, is.message, c.Now().Time()) }
}

func (c *suspensionController) setSuspended(ctx context.Context, of ownerID, uid string, to bool) error {
	c.mu.Lock()
	last := c.toggled[of]
	again := last.to != to || time.Since(last.at) > resend
	if again {
		c.toggled[of] = toggle{to, time.Now()}
	}
	c.mu.Unlock()
	if !again {
		return nil
	}
	c.Log.Info("suspends or starts", "cluster", c.Translate.Cluster, "kind", of.kind, "object", of.namespace+"/"+of.name, "suspended", to)
	return c.client.Suspend(ctx, of, uid, to)
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
