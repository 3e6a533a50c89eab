package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/prove/kubetest"
)

// seen is when a pod was seen in a state for the first time; zero: not yet.
type seen struct {
	job            string
	bound, running time.Time
	gone           bool // deleted, or leaving
}

// podWatch sees every pod of the namespace as the API server tells of it.
type podWatch struct {
	mu   sync.Mutex
	pods map[string]*seen // by UID
	err  error            // why it has ended
}

// watchPods begins to watch, until the context ends.
func watchPods(ctx context.Context, c *kubetest.Cluster) (*podWatch, error) {
	var list struct {
		Metadata struct{ ResourceVersion string }
	}
	path := "/api/v1/namespaces/" + space + "/pods"
	if err := c.Call(ctx, http.MethodGet, path, nil, &list); err != nil {
		return nil, err
	}
	body, err := c.Stream(ctx, path+"?watch=1&resourceVersion="+list.Metadata.ResourceVersion)
	if err != nil {
		return nil, err
	}
	w := &podWatch{pods: map[string]*seen{}}
	go w.read(body)
	return w, nil
}

// change is what the API server tells of a pod.
type change struct {
	Type   string
	Object struct {
		Metadata struct {
			UID               string
			Labels            map[string]string
			DeletionTimestamp *string
		}
		Spec   struct{ NodeName string }
		Status struct{ Phase string }
	}
}

func (w *podWatch) read(body io.ReadCloser) {
	defer func() { _ = body.Close() }()
	all := json.NewDecoder(body)
	for {
		var c change
		err := all.Decode(&c)
		w.mu.Lock()
		if err != nil {
			w.err = err
			w.mu.Unlock()
			return
		}
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
	}
	p.gone = c.Type == "DELETED" || is.Metadata.DeletionTimestamp != nil
	if is.Spec.NodeName != "" && p.bound.IsZero() {
		p.bound = now
	}
	if is.Status.Phase == "Running" && p.running.IsZero() {
		p.running = now
	}
}

// running are the pods of some Jobs that run and stay.
func (w *podWatch) running(jobs map[string]bool) (list []seen, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.pods {
		if jobs[p.job] && !p.gone && !p.running.IsZero() {
			list = append(list, *p)
		}
	}
	return list, w.err
}
