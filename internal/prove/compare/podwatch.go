package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/prove/kubetest"
)

// seen is when a pod was seen in a state for the first time; zero: not yet.
type seen struct {
	job, node      string
	bound, running time.Time
	gone           bool // deleted, or leaving
}

// podWatch sees every pod of the namespace as the API server tells of it.
type podWatch struct {
	mu   sync.Mutex
	pods map[string]*seen // by UID

	waits func(name string) // is told of each new pod without a node; nil: is not
}

const podsPath = "/api/v1/namespaces/" + space + "/pods"

// watchPods begins to watch, until the context ends.
func watchPods(ctx context.Context, c *kubetest.Cluster) *podWatch {
	w := &podWatch{pods: map[string]*seen{}}
	go func() {
		for ctx.Err() == nil { // an API server that is short of time ends watches
			if w.follow(ctx, c) != nil {
				time.Sleep(glance)
			}
		}
	}()
	return w
}

// follow lists all pods, and takes in what changes until the API server ends that.
func (w *podWatch) follow(ctx context.Context, c *kubetest.Cluster) error {
	var list struct {
		Metadata struct{ ResourceVersion string }
		Items    []pod
	}
	if err := c.Call(ctx, http.MethodGet, podsPath, nil, &list); err != nil {
		return err
	}
	w.replace(list.Items, time.Now())
	body, err := c.Stream(ctx, podsPath+"?watch=1&resourceVersion="+list.Metadata.ResourceVersion)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	return w.read(body)
}

// pod is what is read of one.
type pod struct {
	Metadata struct {
		Name, UID         string
		Labels            map[string]string
		DeletionTimestamp *string
	}
	Spec   struct{ NodeName string }
	Status struct{ Phase string }
}

// change is what the API server tells of a pod.
type change struct {
	Type   string
	Object pod
}

// tell has each new pod without a node told from now on.
func (w *podWatch) tell(waits func(name string)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waits = waits
}

// replace takes in a list of all pods: the others are gone.
func (w *podWatch) replace(list []pod, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.pods {
		p.gone = true
	}
	for _, is := range list {
		w.note(change{"ADDED", is}, now)
	}
}

// read takes in changes until there are no more.
func (w *podWatch) read(body io.Reader) error {
	for all := json.NewDecoder(body); ; {
		var c change
		if err := all.Decode(&c); err != nil {
			return err
		}
		if c.Type == "ERROR" {
			return errors.New("the watch ended")
		}
		w.mu.Lock()
		w.note(c, time.Now())
		w.mu.Unlock()
	}
}

// note takes a change in.
func (w *podWatch) note(c change, now time.Time) {
	is := c.Object
	p := w.pods[is.Metadata.UID]
	if p == nil {
		p = &seen{job: is.Metadata.Labels[ofJob]}
		w.pods[is.Metadata.UID] = p
		if w.waits != nil && is.Spec.NodeName == "" {
			w.waits(is.Metadata.Name)
		}
	}
	p.gone = c.Type == "DELETED" || is.Metadata.DeletionTimestamp != nil
	if is.Spec.NodeName != "" && p.bound.IsZero() {
		p.bound, p.node = now, is.Spec.NodeName
	}
	if is.Status.Phase == "Running" && p.running.IsZero() {
		p.running = now
	}
}

// running are the pods of some Jobs that run and stay.
func (w *podWatch) running(jobs map[string]bool) (list []seen) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.pods {
		if jobs[p.job] && !p.gone && !p.running.IsZero() {
			list = append(list, *p)
		}
	}
	return list
}
