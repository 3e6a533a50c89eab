package kube

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// sent is a pod that was let start, before the watch shows it.
type sent struct {
	node string
	at   time.Time
}

// resend is after how long a start is sent again that the watch does not show.
const resend = 5 * time.Second

// writers is how many calls that change pods are on their way at one time.
const writers = 32

// carry brings the cluster to what was decided, and reports what came of it. busy
// says that pods were started.
func (a *Agent) carry(ctx context.Context, p Picture) (busy bool, err error) {
	work := map[[2]string]*translate.Work{}
	for i := range p.Work {
		w := &p.Work[i]
		work[[2]string{w.Namespace, w.Name}] = w
	}
	names := map[string][]string{}
	a.engine.Read(func(s *fleet.State) {
		for _, part := range s.Partitions {
			if part.Cluster != a.Translate.Cluster {
				continue
			}
			for _, n := range part.Nodes {
				names[part.ID] = append(names[part.ID], n.Name)
			}
		}
	})
	var t todo
	for _, w := range a.wants() {
		if w.Job.Partition == "" || names[w.Job.Partition] != nil {
			var pools []translate.Part
			if is := work[[2]string{w.Job.Namespace, w.Job.Name}]; is != nil {
				pools, w.done = is.Pools, is.Done
			}
			t.plan(w, pools, names[w.Job.Partition])
		}
	}
	a.write(ctx, t)
	if busy = len(t.start) > 0; busy {
		a.startedAt = time.Now()
	}
	for _, s := range t.stop {
		if err := a.reportStopped(ctx, s); err != nil {
			return busy, err
		}
	}
	return busy, nil
}

// reportStopped tells the engine that replicas have left.
func (a *Agent) reportStopped(ctx context.Context, s driver.Stopped) error {
	_, err := a.engine.Do(ctx, core.Request{Command: core.ReportStopped{ID: s.ID, Spots: s.Spots}, Actor: core.Driver})
	var no *core.Refusal
	if errors.As(err, &no) {
		a.Log.Warn("a report of the cluster was refused", "cluster", a.Translate.Cluster, "why", no.Error())
		return nil
	}
	if err != nil && ctx.Err() != nil {
		return nil //nolint:nilerr // it was told to stop
	}
	return err
}

// wants lists what should stand.
func (a *Agent) wants() (list []wanted) {
	a.engine.Read(func(s *fleet.State) { list = desired(s, a.Translate.Cluster) })
	return list
}

// write does what is to be done. What fails is said, and done again in the next
// round: each of it may be done twice.
func (a *Agent) write(ctx context.Context, t todo) {
	var calls []func() error
	for _, s := range t.start {
		calls = append(calls, func() error { return a.startPod(ctx, s) })
	}
	for _, e := range t.evict {
		calls = append(calls, func() error { return a.evictPod(ctx, e) })
	}
	for _, p := range t.remove {
		calls = append(calls, func() error { return a.client.Remove(ctx, p) })
	}
	a.atOnce(ctx, calls)
}

// atOnce makes calls, several at a time.
func (a *Agent) atOnce(ctx context.Context, calls []func() error) {
	began := time.Now()
	defer func() { a.waited += time.Since(began) }()
	todo := make(chan func() error)
	var all sync.WaitGroup
	var lock sync.Mutex
	var failed []error
	for range min(writers, len(calls)) {
		all.Go(func() {
			for call := range todo {
				if err := call(); err != nil && ctx.Err() == nil {
					lock.Lock()
					failed = append(failed, err)
					lock.Unlock()
				}
			}
		})
	}
	for _, call := range calls {
		todo <- call
	}
	close(todo)
	all.Wait()
	a.complain(failed)
}

// complain logs calls that failed. They are tried in every round: what fails again as
// before is said seldom, and of many that fail together the first.
func (a *Agent) complain(failed []error) {
	if len(failed) == 0 {
		return
	}
	slices.SortFunc(failed, func(x, y error) int { return cmp.Compare(x.Error(), y.Error()) })
	if a.news.seldom(cause(failed[0])) {
		a.Log.Warn("it could not be carried out, and is tried again", "cluster", a.Translate.Cluster, "why", failed[0], "and so many more", len(failed)-1)
	}
}

// startPod lets a pod start. From before the call on it counts as started, unless
// the API server itself says that it is not: what is not known is never taken for free.
func (a *Agent) startPod(ctx context.Context, s start) error {
	switch {
	case s.pod.Later:
		return nil // it is made by itself, and starts then
	case s.pod.Virtual:
		return a.unsuspend(ctx, s.pod)
	}
	a.mu.Lock()
	a.sent[s.pod.UID] = sent{s.node, time.Now()}
	a.mu.Unlock()
	err := a.client.Start(ctx, s.pod, s.node)
	if err != nil && certain(err) {
		a.mu.Lock()
		delete(a.sent, s.pod.UID)
		a.mu.Unlock()
	}
	return gone(err)
}

// evictPod asks a pod to leave, and says for whom.
func (a *Agent) evictPod(ctx context.Context, e evict) error {
	why := a.whyLeaves(e.id)
	a.Log.Info("evicts", "cluster", a.Translate.Cluster, "pod", e.pod.Namespace+"/"+e.pod.Name, "why", why)
	a.mu.Lock()
	told := a.toldLeaving[e.pod.UID] == why
	a.toldLeaving[e.pod.UID] = why
	a.mu.Unlock()
	if !told && e.pod.Owner.Elastic {
		// Whoever scales it down meanwhile takes the pods away that leave anyway.
		if err := a.client.Cheapen(ctx, e.pod); err != nil {
			a.Log.Warn("the deletion cost of a pod could not be set", "cluster", a.Translate.Cluster, "pod", e.pod.Namespace+"/"+e.pod.Name, "why", err)
		}
	}
	if !told {
		// People want to know, but who waits for the room cannot wait for that.
		for _, err := range []error{
			a.client.Say(ctx, e.pod, false, "Evicted", why, a.Now().Time()), a.client.Note(ctx, e.pod, "Evicted", why, a.Now().Time()),
		} {
			if err != nil {
				a.Log.Warn("a pod could not be told why it leaves", "cluster", a.Translate.Cluster, "pod", e.pod.Namespace+"/"+e.pod.Name, "why", err)
			}
		}
	}
	if a.suspends(e) {
		return a.suspend(ctx, e.pod)
	}
	return a.client.Evict(ctx, e.pod, graceLeft(e.until, a.Now()))
}

// whyLeaves names who needs the room of a workload.
func (a *Agent) whyLeaves(id uint64) (why string) {
	why = "Muster takes its GPUs back."
	a.engine.Read(func(s *fleet.State) {
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

// believe takes pods that were let start for started, though the watch does not
// show it yet, and forgets what it does show. What it has not shown for long is sent again.
func (a *Agent) believe(ctx context.Context, pods []translate.Pod) []translate.Pod {
	a.mu.Lock()
	there := map[string]bool{}
	var again []start
	for i := range pods {
		p := &pods[i]
		there[p.UID] = true
		s, was := a.sent[p.UID]
		switch {
		case was && !p.Gated:
			delete(a.sent, p.UID)
		case was:
			p.Gated, p.Pinned = false, s.node
			if time.Since(s.at) > resend && !p.Leaving {
				again = append(again, start{pod: *p, node: s.node})
			}
		}
	}
	for uid := range a.sent {
		if !there[uid] && time.Since(a.sent[uid].at) > resend {
			delete(a.sent, uid)
		}
	}
	a.mu.Unlock()
	for _, s := range again {
		_ = a.startPod(ctx, s)
	}
	return pods
}
