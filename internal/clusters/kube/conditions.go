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

// quiet is how long a pod waits before it is told why: most start sooner.
// Those of a workload that has its room are started as soon as its other pods are
// there, and what is told to hundreds of them meanwhile only delays that.
const (
	quiet     = 3 * time.Second
	quietSoon = 20 * time.Second
)

// wait is how long a pod is not told.
func (w word) wait() time.Duration {
	if w.soon {
		return quietSoon
	}
	return quiet
}

// mostSaid is how many pods are told in one round why they wait.
const mostSaid = 100

// word is what a pod is told.
type word struct {
	admitted        bool
	reason, message string
	soon            bool // its workload has its room
}

// saying is the call that tells a pod a word, or what would make it; nil: it was told.
func (a *Agent) saying(ctx context.Context, pod translate.Pod, is word) func() error {
	switch {
	case pod.Later:
		return nil // its siblings say it
	case pod.Virtual:
		return a.sayOwner(ctx, pod, is)
	}
	return func() error { return a.client.Say(ctx, pod, is.admitted, is.reason, is.message, a.Now().Time()) }
}

// say tells pods where they stand: started, or why not.
func (a *Agent) say(ctx context.Context, p Picture) {
	words := a.words(p)
	var calls []func() error
	for _, w := range p.Work {
		about, known := words[[2]string{w.Namespace, w.Name}]
		for _, part := range w.Pools {
			for _, pod := range part.Pods {
				is := wordFor(pod, about)
				if pod.Admitted == is.message || len(calls) == mostSaid || !a.tellable(pod, about, known) {
					continue
				}
				if call := a.saying(ctx, pod, is); call != nil {
					calls = append(calls, call)
				}
			}
		}
	}
	for _, call := range a.sayAstray(p) {
		calls = append(calls, func() error { return call(ctx) })
	}
	a.atOnce(ctx, calls)
}

// calm is how long nothing was started before pods are told that they were: that
// they run can be seen without it, and others wait to be started.
const calm = 5 * time.Second

// atLatest is how old a pod is when it is told all the same, however much starts.
const atLatest = time.Minute

// tellable says whether a pod is to be told now where it stands.
func (a *Agent) tellable(pod translate.Pod, about word, known bool) bool {
	switch {
	case pod.Over || pod.Leaving || a.toldLeaving[pod.UID] != "":
		return false
	case pod.Gated:
		return known && a.Now() >= pod.Created.Add(about.wait())
	}
	return pod.Unschedulable != "" && pod.Node == "" || time.Since(a.startedAt) >= calm || a.Now() >= pod.Created.Add(atLatest)
}

// wordFor is what one pod of a workload is told.
func wordFor(pod translate.Pod, about word) word {
	if pod.Gated {
		return about
	}
	is := word{admitted: true, reason: "Started", message: "Started on node " + translate.Bare(pod.Pinned) + "."}
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
func (a *Agent) words(p Picture) map[[2]string]word {
	words := map[[2]string]word{}
	a.engine.Study(func(s *fleet.State) {
		var untold, told []*fleet.Workload
		for _, w := range p.Work {
			key := [2]string{w.Namespace, w.Name}
			is := s.Workload(w.Namespace, w.Name)
			switch about := a.about(key, is); {
			case about.reason == "":
			case is == nil:
				words[key] = about
			default:
				switch waits, news := a.hearsWhy(&w, about); {
				case news:
					untold = append(untold, is)
				case waits:
					told = append(told, is)
				}
			}
		}
		for _, is := range a.turns(untold, told) {
			key := [2]string{is.Namespace, is.Name}
			words[key] = a.about(key, is)
			if list := explain.Why(s, is, a.Now()); len(list) > 0 {
				words[key] = word{reason: string(list[0].Code), message: list[0].Text}
			}
		}
	})
	return words
}

// about is what can be said of a workload without asking why; no reason: nothing.
func (a *Agent) about(key [2]string, is *fleet.Workload) word {
	switch {
	case is != nil:
		return word{reason: string(is.State), message: "The workload is " + string(is.State) + ".", soon: is.At() != nil}
	case a.refused[key] != "":
		return word{reason: "Refused", message: a.refused[key]}
	}
	return word{}
}

// hearsWhy says whether a pod of a workload waits that may be told why, and whether
// one of them was told nothing yet.
func (a *Agent) hearsWhy(w *translate.Work, about word) (waits, news bool) {
	for _, part := range w.Pools {
		for _, pod := range part.Pods {
			if pod.Gated && !pod.Later && a.tellable(pod, about, true) {
				waits = true
				news = news || !a.knowsWhy(pod)
			}
		}
	}
	return waits, news
}

// knowsWhy says whether a pod, or what would make it, was told something.
func (a *Agent) knowsWhy(pod translate.Pod) bool {
	if !pod.Virtual {
		return pod.Admitted != ""
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.toldOwner[ownerIDOf(&pod)] != ""
}

// turns picks the workloads that are asked about in this round: first those of which
// nothing was said, then the others in turn, as their reasons may be others by now.
// Both lists are in order of namespace and name.
func (a *Agent) turns(untold, told []*fleet.Workload) []*fleet.Workload {
	if len(untold) >= mostWhys {
		return untold[:mostWhys]
	}
	from := slices.IndexFunc(told, func(w *fleet.Workload) bool {
		return cmp.Or(cmp.Compare(w.Namespace, a.saidUpTo[0]), cmp.Compare(w.Name, a.saidUpTo[1])) > 0
	})
	told = slices.Concat(told[max(0, from):], told[:max(0, from)])
	told = told[:min(len(told), mostWhys-len(untold))]
	if n := len(told); n > 0 {
		a.saidUpTo = [2]string{told[n-1].Namespace, told[n-1].Name}
	}
	return append(untold, told...)
}
