package kube

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file tells pods where they stand.

// conditionController tells pods where they stand.
type conditionController struct {
	*shared
	pods        *podController
	suspensions *suspensionController
	doneAt      time.Time   // when pods were told last
	doneUpTo    workloadKey // the workload that was last in turn to be explained
}

// sayEvery is how often pods are told why they wait.
const sayEvery = 2 * time.Second

// quiet is how long a pod waits before it is told why: most start sooner.
// Those of a workload that has its room are started as soon as its other pods are
// there, and what is told to hundreds of them meanwhile only delays that.
const (
	quiet     = 3 * time.Second
	quietSoon = 20 * time.Second
)

// wait is how long a pod is not told.
func (w podCondition) wait() time.Duration {
	if w.soon {
		return quietSoon
	}
	return quiet
}

// mostSaid is how many pods are told in one round why they wait.
const mostSaid = 100

// podCondition is what a pod's condition says of where it stands.
type podCondition struct {
	admitted        bool
	reason, message string
	soon            bool // its workload has its room
}

// saying is the call that tells a pod a podCondition, or what would make it; nil: it was told.
func (c *conditionController) saying(ctx context.Context, pod translate.Pod, is podCondition) func() error {
	switch {
	case pod.Later:
		return nil // its siblings say it
	case pod.Virtual:
		return c.suspensions.sayOwner(ctx, pod, is)
	}
	return func() error { return c.client.Say(ctx, pod, is.admitted, is.reason, is.message, c.Now().Time()) }
}

// reconcile tells pods where they stand: started, or why not.
func (c *conditionController) reconcile(ctx context.Context, p Snapshot) {
	if time.Since(c.doneAt) <= sayEvery {
		return
	}
	c.doneAt = time.Now()
	words := c.words(p)
	var calls []func() error
	for _, w := range p.Work {
		about, known := words[workloadKey{w.Namespace, w.Name}]
		for _, part := range w.Pools {
			for _, pod := range part.Pods {
				is := c.wordFor(pod, about)
				if pod.Admitted == is.message || len(calls) == mostSaid || !c.tellable(pod, about, known) {
					continue
				}
				if call := c.saying(ctx, pod, is); call != nil {
					calls = append(calls, call)
				}
			}
		}
	}
	for _, call := range c.sayAstray(p) {
		calls = append(calls, func() error { return call(ctx) })
	}
	c.atOnce(ctx, calls)
}

// calm is how long nothing was started before pods are told that they were: that
// they run can be seen without it, and others wait to be started.
const calm = 5 * time.Second

// atLatest is how old a pod is when it is told even while others start.
const atLatest = time.Minute

// tellable says whether a pod is to be told now where it stands.
func (c *conditionController) tellable(pod translate.Pod, about podCondition, known bool) bool {
	switch {
	case pod.Over || pod.Leaving || c.pods.toldLeaving[pod.UID] != "":
		return false
	case pod.Gated:
		return known && c.Now() >= pod.Created.Add(about.wait())
	case pod.Node != "" && pod.Admitted == "":
		return false // it was never told that it waits, and it shows its node itself
	}
	return pod.Unschedulable != "" && pod.Node == "" || time.Since(c.pods.startedAt) >= calm || c.Now() >= pod.Created.Add(atLatest)
}

// wordFor is what one pod of a workload is told.
func (c *conditionController) wordFor(pod translate.Pod, about podCondition) podCondition {
	if reason, why := c.pods.heldBack(pod.UID); why != "" && pod.Gated {
		return podCondition{reason: reason, message: why}
	}
	if pod.Gated {
		return about
	}
	is := podCondition{admitted: true, reason: "Started", message: "Started on node " + translate.Bare(pod.Pinned) + "."}
	if pod.Node == "" && pod.Unschedulable != "" {
		is.message += " kube-scheduler cannot bind it: " + pod.Unschedulable
	}
	return is
}

// mostWhys is of how many workloads the planner is asked in one round why they wait:
// it may think for long where many wait.
const mostWhys = 100

// words says of workloads why they wait: of those some pod of which may be told now.
// The planner is asked on a view beside the deciding one, so that no decision waits for that.
func (c *conditionController) words(p Snapshot) map[workloadKey]podCondition {
	words := map[workloadKey]podCondition{}
	c.engine.Study(func(s *fleet.State) {
		var untold, told []*fleet.Workload
		for _, w := range p.Work {
			key := workloadKey{w.Namespace, w.Name}
			is := s.Workload(w.Namespace, w.Name)
			switch about := c.about(key, is); {
			case about.reason == "":
			case is == nil:
				words[key] = about
			default:
				switch waits, news := c.hearsWhy(&w, about); {
				case news:
					untold = append(untold, is)
				case waits:
					told = append(told, is)
				}
			}
		}
		for _, is := range c.turns(untold, told) {
			key := workloadKey{is.Namespace, is.Name}
			words[key] = c.about(key, is)
			if list := explain.Why(s, is, c.Now()); len(list) > 0 {
				words[key] = podCondition{reason: string(list[0].Code), message: list[0].Text}
			}
		}
	})
	return words
}

// about is what can be said of a workload without asking why; no reason: nothing.
func (c *conditionController) about(key workloadKey, is *fleet.Workload) podCondition {
	switch {
	case is != nil:
		return podCondition{reason: string(is.State), message: "The workload is " + string(is.State) + ".", soon: is.At() != nil}
	case c.refused[key] != "":
		return podCondition{reason: "Refused", message: c.refused[key]}
	}
	return podCondition{}
}

// hearsWhy says whether a pod of a workload waits that may be told why, and whether
// one of them was told nothing yet.
func (c *conditionController) hearsWhy(w *translate.Work, about podCondition) (waits, news bool) {
	for _, part := range w.Pools {
		for _, pod := range part.Pods {
			if pod.Gated && !pod.Later && c.tellable(pod, about, true) {
				waits = true
				news = news || !c.knowsWhy(pod)
			}
		}
	}
	return waits, news
}

// knowsWhy says whether a pod, or what would make it, was told something.
func (c *conditionController) knowsWhy(pod translate.Pod) bool {
	if !pod.Virtual {
		return pod.Admitted != ""
	}
	c.suspensions.mu.Lock()
	defer c.suspensions.mu.Unlock()
	return c.suspensions.toldOwner[ownerIDOf(&pod)] != ""
}

// turns picks the workloads that are asked about in this round: first those of which
// nothing was said, then the others in turn, as their reasons may be others by now.
// Both lists are in order of namespace and name.
func (c *conditionController) turns(untold, told []*fleet.Workload) []*fleet.Workload {
	if len(untold) >= mostWhys {
		return untold[:mostWhys]
	}
	from := slices.IndexFunc(told, func(w *fleet.Workload) bool {
		return cmp.Or(cmp.Compare(w.Namespace, c.doneUpTo[0]), cmp.Compare(w.Name, c.doneUpTo[1])) > 0
	})
	told = slices.Concat(told[max(0, from):], told[:max(0, from)])
	told = told[:min(len(told), mostWhys-len(untold))]
	if n := len(told); n > 0 {
		c.doneUpTo = workloadKey{told[n-1].Namespace, told[n-1].Name}
	}
	return append(untold, told...)
}
