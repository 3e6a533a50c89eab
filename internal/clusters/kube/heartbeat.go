package kube

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// pulse asks now and then whether the API server is there, and for what seldom
// changes. After a silence as long as the policy says, the reports have stopped:
// what stands stays as it is, and nothing new is believed to start.
func (a *Agent) pulse(ctx context.Context) {
	heard, asked := time.Now(), time.Time{}
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		err := a.client.Alive(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			heard = time.Now()
			if !a.acts() || a.taking.done.Load() { // else the comparison says so
				a.reporting(ctx, true)
			}
			if silent, stopped := a.news.over("silent"), a.news.over("stopped"); silent || stopped {
				a.Log.Info("the API server answers again", "cluster", a.Translate.Cluster)
			}
		case time.Since(heard) >= a.silence():
			if a.news.is("stopped", cause(err)) {
				a.Log.Error("the cluster's reports have stopped", "cluster", a.Translate.Cluster, "since", heard, "why", err)
			}
			a.reporting(ctx, false)
		case a.news.is("silent", cause(err)):
			a.Log.Warn("the API server does not answer", "cluster", a.Translate.Cluster, "why", err)
		}
		if err == nil && a.Quotas && !a.kueue.listed() && time.Since(asked) > rareBeat {
			asked = time.Now()
			a.askKueue(ctx)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (a *Agent) silence() (d time.Duration) {
	a.engine.Read(func(s *fleet.State) { d = s.Policy.Silence() })
	return d
}

// reporting says that the reports have stopped or come again, where that is news.
func (a *Agent) reporting(ctx context.Context, fresh bool) {
	news := false
	a.engine.Read(func(s *fleet.State) {
		c := s.Cluster(a.Translate.Cluster)
		news = c != nil && c.Stale == fresh
	})
	if !news {
		return
	}
	var c core.Command = core.StopReports{Cluster: a.Translate.Cluster}
	if fresh {
		c = core.ResumeReports{Cluster: a.Translate.Cluster}
	}
	if _, err := a.request(ctx, c); err != nil {
		a.Log.Warn("the silence could not be noted", "cluster", a.Translate.Cluster, "why", err)
	}
}

// askKueue reads Kueue's queues, where the cluster has them.
func (a *Agent) askKueue(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	const group = "kueue.x-k8s.io"
	var k translate.Kueue
	var err error
	for _, kind := range []struct {
		resource string
		into     *[]*unstructured.Unstructured
	}{{"clusterqueues", &k.ClusterQueues}, {"localqueues", &k.LocalQueues}, {"resourceflavors", &k.Flavors}} {
		if *kind.into, err = a.client.listAny(ctx, group, kind.resource, "v1beta2", "v1beta1"); err != nil {
			a.Log.Warn("Kueue's queues could not be read", "cluster", a.Translate.Cluster, "why", err)
			return
		}
	}
	quotas, queues := k.Quotas(&a.Translate)
	a.mu.Lock()
	a.queues.quotas, a.queues.queues = quotas, queues
	a.mu.Unlock()
}
