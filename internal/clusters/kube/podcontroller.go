package kube

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// podController starts and evicts pods, so that what runs is what should.
type podController struct {
	*shared
	suspensions *suspensionController
	fits        *fitController

	mu          sync.Mutex
	assumed     map[string]assumed // started pods by UID, until the watch shows that they are
	toldLeaving map[string]string  // what pods that leave were told, by UID
	startedAt   time.Time          // when a pod was started last
	unfit       map[string]string  // pods with room that no node takes as it is, by UID, and why
	unbound     map[string]string  // pods that the API server refuses to bind, by UID, and why
}

func newPodController(s *shared, of *suspensionController, fits *fitController) *podController {
	return &podController{shared: s, suspensions: of, fits: fits, assumed: map[string]assumed{}, toldLeaving: map[string]string{}, unbound: map[string]string{}}
}

// assumed is a pod that counts as started, though the watch does not show it yet.
type assumed struct {
	node string
	at   time.Time
}

// resend is after how long a start is made again that the watch does not show.
const resend = 5 * time.Second

// reconcile brings the pods to what was decided, and reports what has left. busy says
// that pods were started.
func (c *podController) reconcile(ctx context.Context, p Snapshot) (busy bool, err error) {
	work := map[[2]string]*translate.Work{}
	for i := range p.Work {
		w := &p.Work[i]
		work[[2]string{w.Namespace, w.Name}] = w
	}
	names := c.nodeNames()
	var t podActions
	for _, w := range c.desired() {
		if w.Job.Partition == "" || names[w.Job.Partition] != nil {
			var pools []translate.Part
			if is := work[[2]string{w.Job.Namespace, w.Job.Name}]; is != nil {
				pools, w.done = is.Pools, is.Done
			}
			t.plan(w, pools, names[w.Job.Partition])
		}
	}
	if t.start, err = c.fitted(ctx, p, t.start); err != nil {
		return false, err
	}
	c.forgetUnbound(p)
	c.apply(ctx, t)
	if busy = c.someStarted(t.start); busy {
		c.startedAt = time.Now()
	}
	for _, s := range t.stop {
		if err := c.reportStopped(ctx, s); err != nil {
			return busy, err
		}
	}
	return busy, nil
}

// nodeNames are the names of the nodes of this cluster's partitions, in their order.
func (c *podController) nodeNames() map[string][]string {
	names := map[string][]string{}
	c.engine.Read(func(s *fleet.State) {
		for _, part := range s.Partitions {
			if part.Cluster != c.Translate.Cluster {
				continue
			}
			for _, n := range part.Nodes {
				names[part.ID] = append(names[part.ID], n.Name)
			}
		}
	})
	return names
}

// fitted keeps the starts that nodes take. Of the others the engine hears, which plans them elsewhere.
func (c *podController) fitted(ctx context.Context, p Snapshot, starts []startAction) (fit []startAction, err error) {
	var nodes *nodeFits
	var misplaced []misplacedPod
	fit, c.unfit, misplaced = fitting(starts, func() *nodeFits {
		nodes = c.watch.fits(p)
		nodes.rejected = c.fits.rejected
		return nodes
	})
	if len(misplaced) == 0 {
		return fit, nil
	}
	var commands []core.Command
	c.engine.Read(func(s *fleet.State) { commands = c.fits.move(s, misplaced, starts, nodes) })
	return fit, c.do(ctx, commands)
}

// reportStopped tells the engine that replicas have left.
func (c *podController) reportStopped(ctx context.Context, s driver.Stopped) error {
	_, err := c.engine.Do(ctx, core.Request{Command: core.ReportStopped{ID: s.ID, Spots: s.Spots}, Actor: core.Reporter})
	var no *core.Refusal
	if errors.As(err, &no) {
		c.Log.Warn("a report of the cluster was refused", "cluster", c.Translate.Cluster, "why", no.Error())
		return nil
	}
	if err != nil && ctx.Err() != nil {
		return nil //nolint:nilerr // it was told to stop
	}
	return err
}

// desired lists what should stand on the cluster.
func (c *podController) desired() (list []desiredWork) {
	c.engine.Read(func(s *fleet.State) { list = desired(s, c.Translate.Cluster) })
	return list
}

// apply does what is to be done. What fails is logged, and done again in the next round:
// every action may be done twice.
func (c *podController) apply(ctx context.Context, t podActions) {
	var calls []func() error
	for _, s := range t.start {
		calls = append(calls, func() error { return c.startPod(ctx, s) })
	}
	for _, e := range t.evict {
		calls = append(calls, func() error { return c.evictPod(ctx, e) })
	}
	for _, p := range t.remove {
		calls = append(calls, func() error { return c.client.Remove(ctx, p) })
	}
	c.atOnce(ctx, calls)
}

// startPod starts a pod. From before the call on it is assumed to be started, unless the
// API server itself says that it is not: what is not known never counts as free.
func (c *podController) startPod(ctx context.Context, s startAction) error {
	switch {
	case s.pod.Later:
		return nil // it is made by itself, and starts then
	case s.pod.Virtual:
		return c.suspensions.unsuspend(ctx, s.pod)
	}
	c.mu.Lock()
	c.assumed[s.pod.UID] = assumed{s.node, time.Now()}
	c.mu.Unlock()
	err := c.client.Start(ctx, s.pod, s.node)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil && certain(err) {
		delete(c.assumed, s.pod.UID)
	}
	if why := unboundWhy(s, err); why != "" {
		c.unbound[s.pod.UID] = why
	} else {
		delete(c.unbound, s.pod.UID)
	}
	return gone(err)
}

// unboundWhy is what a pod is told that the API server refuses to bind; "": it does not.
func unboundWhy(s startAction, err error) string {
	switch {
	case err == nil || !s.pod.Binds || !certain(err) || gone(err) == nil:
		return ""
	case apierrors.IsForbidden(err) && strings.Contains(err.Error(), "pods/binding"):
		return "Muster chose node " + translate.Bare(s.node) + " for it, but has no right to bind pods: give Muster's account the role muster-bind; " +
			"or let kube-scheduler bind (agent.bind=scheduler), and make the pod anew."
	}
	return fmt.Sprintf("Muster chose node %s for it, but the API server refuses to bind it: %s", translate.Bare(s.node), translate.Clip(err.Error()))
}

// forgetUnbound forgets pods that are gone, or do not wait any more.
func (c *podController) forgetUnbound(p Snapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.unbound) == 0 {
		return
	}
	waits := map[string]bool{}
	for _, w := range p.Work {
		for _, part := range w.Pools {
			for _, pod := range part.Pods {
				waits[pod.UID] = pod.Gated
			}
		}
	}
	maps.DeleteFunc(c.unbound, func(uid, _ string) bool { return !waits[uid] })
}

// someStarted says whether one of these pods was started, and not refused.
func (c *podController) someStarted(starts []startAction) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(starts, func(s startAction) bool { return c.unbound[s.pod.UID] == "" })
}

// heldBack is why a pod does not start that has its room; "": nothing is known against it.
func (c *podController) heldBack(uid string) (code, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if why := c.unbound[uid]; why != "" {
		return "NotBound", why
	}
	return string(reason.DoesNotFit), c.unfit[uid]
}

// evictPod asks a pod to leave, and tells it which workload needs its GPUs.
func (c *podController) evictPod(ctx context.Context, e evictAction) error {
	why := c.whyLeaves(e.id)
	c.Log.Info("evicts", "cluster", c.Translate.Cluster, "pod", e.pod.Namespace+"/"+e.pod.Name, "why", why)
	c.mu.Lock()
	told := c.toldLeaving[e.pod.UID] == why
	c.toldLeaving[e.pod.UID] = why
	c.mu.Unlock()
	if !told && e.pod.Owner.Elastic {
		// A controller that scales down meanwhile then deletes the pods that leave anyway.
		if err := c.client.Cheapen(ctx, e.pod); err != nil {
			c.Log.Warn("the deletion cost of a pod could not be set", "cluster", c.Translate.Cluster, "pod", e.pod.Namespace+"/"+e.pod.Name, "why", err)
		}
	}
	if !told {
		// The workload that waits for the GPUs cannot wait until that is written.
		for _, err := range []error{
			c.client.Say(ctx, e.pod, false, "Evicted", why, c.Now().Time()), c.client.Note(ctx, e.pod, "Evicted", why, c.Now().Time()),
		} {
			if err != nil {
				c.Log.Warn("a pod could not be told why it leaves", "cluster", c.Translate.Cluster, "pod", e.pod.Namespace+"/"+e.pod.Name, "why", err)
			}
		}
	}
	if c.suspensions.evicts(e) {
		return c.suspensions.suspend(ctx, e.pod)
	}
	return c.client.Evict(ctx, e.pod, graceLeft(e.until, c.Now()))
}

// whyLeaves names the workload that needs the GPUs of another.
func (c *podController) whyLeaves(id uint64) (why string) {
	why = "Muster takes its GPUs back."
	c.engine.Read(func(s *fleet.State) {
		w := s.Workloads[id]
		if w == nil {
			return
		}
		if w.State == fleet.Cancelled {
			why = "The workload was cancelled."
		}
		if by := s.Workloads[w.For]; by != nil {
			why = fmt.Sprintf("%s/%s (%s, %s) needs its GPUs; it has until %s to leave.", by.Namespace, by.Name, by.Target, by.Priority, w.GraceEnds.Time().Format("15:04:05"))
		}
	})
	return why
}

// assumeStarted marks pods as started that were started, though the watch does not show
// it yet. A start that the watch has not shown for long is made again.
func (c *podController) assumeStarted(ctx context.Context, pods []translate.Pod) []translate.Pod {
	c.mu.Lock()
	there := map[string]bool{}
	var again []startAction
	for i := range pods {
		p := &pods[i]
		there[p.UID] = true
		s, was := c.assumed[p.UID]
		switch {
		case was && !p.Gated:
			delete(c.assumed, p.UID)
		case was:
			p.Gated, p.Pinned = false, s.node
			if time.Since(s.at) > resend && !p.Leaving {
				again = append(again, startAction{pod: *p, node: s.node})
			}
		}
	}
	for uid := range c.assumed {
		if !there[uid] && time.Since(c.assumed[uid].at) > resend {
			delete(c.assumed, uid)
		}
	}
	c.mu.Unlock()
	for _, s := range again {
		_ = c.startPod(ctx, s)
	}
	return pods
}
