package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/plain"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
)

// bed is a control plane with nodes, on which one task is measured in one way.
type bed struct {
	o     options
	c     *kubetest.Cluster
	task  task
	way   way
	watch *podWatch
}

func nodeName(i int) string { return fmt.Sprintf("node-%04d", i) }

// islandOf is how many nodes an island has.
const islandOf = 50

// prepare brings a bed to the moment at which the task begins.
func (b *bed) prepare(ctx context.Context) error {
	steps := []func(context.Context) error{b.makeNodes, b.startWay, b.tryOut, b.fill}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (b *bed) makeNodes(ctx context.Context) error {
	var list []kubetest.JSON
	for i := range b.task.nodes {
		island := fmt.Sprint("island-", i/islandOf)
		list = append(list, kubetest.Node(nodeName(i), "NVIDIA-H200", island, fmt.Sprint(island, "-r", i%islandOf/10)))
	}
	if err := b.c.CreateAll(ctx, "/api/v1/nodes", list); err != nil {
		return err
	}
	if err := b.makeAll(ctx, made{"/api/v1/namespaces", kubetest.Namespace(space)}); err != nil {
		return err
	}
	b.watch = watchPods(ctx, b.c)
	return b.until(ctx, "all nodes are ready", func() error { return b.nodesReady(ctx) })
}

// nodesReady asks whether pods may stand on all nodes.
func (b *bed) nodesReady(ctx context.Context) error {
	var list struct {
		Items []struct {
			Spec   struct{ Taints []kubetest.JSON }
			Status struct {
				Conditions []struct{ Type, Status string }
			}
		}
	}
	if err := b.c.Call(ctx, http.MethodGet, "/api/v1/nodes", nil, &list); err != nil {
		return err
	}
	ready := 0
	for _, n := range list.Items {
		for _, c := range n.Status.Conditions {
			if c.Type == "Ready" && c.Status == "True" && len(n.Spec.Taints) == 0 {
				ready++
			}
		}
	}
	if ready < b.task.nodes {
		return fmt.Errorf("%d of %d are", ready, b.task.nodes)
	}
	return nil
}

func (b *bed) startWay(ctx context.Context) error { return b.way.start(ctx, b) }

// tryOut waits until one pod runs in this way, and takes it away again.
func (b *bed) tryOut(ctx context.Context) error {
	first := many("t", 1, 1, 1, open)
	if err := b.runs(ctx, first); err != nil {
		return err
	}
	for _, m := range b.way.make(b, first) {
		name := m.object["metadata"].(kubetest.JSON)["name"].(string)
		if err := b.c.Call(ctx, http.MethodDelete, m.path+"/"+name+"?propagationPolicy=Background", nil, nil); err != nil {
			return err
		}
	}
	return b.until(ctx, "the first pod has left", func() error {
		if list := b.watch.running(names(first)); len(list) > 0 {
			return fmt.Errorf("%d run", len(list))
		}
		return nil
	})
}

// fill lets run what runs before the task.
func (b *bed) fill(ctx context.Context) error {
	if b.task.before == nil {
		return nil
	}
	return b.task.before(ctx, b)
}

// runs makes Jobs and waits until all of their pods run.
func (b *bed) runs(ctx context.Context, list []job) error {
	if _, err := b.submit(ctx, list); err != nil {
		return err
	}
	_, err := b.allRun(ctx, list)
	return err
}

// submit makes the objects of Jobs, many at a time, and says when each was asked for.
func (b *bed) submit(ctx context.Context, list []job) (map[string]time.Time, error) {
	todo := make(chan job, len(list))
	for _, j := range list {
		todo <- j
	}
	close(todo)
	asked := make(map[string]time.Time, len(list))
	var all sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for range min(len(list), plain.Pace) {
		all.Go(func() {
			for j := range todo {
				at := time.Now()
				err := b.makeAll(ctx, b.way.make(b, []job{j})...)
				mu.Lock()
				asked[j.name], failed = at, errors.Join(failed, err)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return asked, failed
}

// makeAll makes objects: those of one path many at a time, one path after the other.
func (b *bed) makeAll(ctx context.Context, list ...made) error {
	for len(list) > 0 {
		path, n := list[0].path, 0
		var same []kubetest.JSON
		for ; n < len(list) && list[n].path == path; n++ {
			same = append(same, list[n].object)
		}
		if err := b.c.CreateAll(ctx, path, same); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

func names(list []job) map[string]bool {
	all := map[string]bool{}
	for _, j := range list {
		all[j.name] = true
	}
	return all
}

// glance is how often it is asked whether something is so.
const glance = 20 * time.Millisecond

// allRun waits until all pods of some Jobs run. Those that do are returned with an error, too.
func (b *bed) allRun(ctx context.Context, list []job) (run []seen, err error) {
	want, jobs := 0, names(list)
	for _, j := range list {
		want += j.pods
	}
	err = b.until(ctx, "all pods run", func() error {
		if run = b.watch.running(jobs); len(run) < want {
			return fmt.Errorf("%d of %d do", len(run), want)
		}
		return nil
	})
	return run, err
}

// until waits until something is so, as long as patience lasts.
func (b *bed) until(ctx context.Context, what string, so func() error) error {
	ctx, cancel := context.WithTimeout(ctx, b.o.patience)
	defer cancel()
	for {
		err := so()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: not in %s: %w", what, b.o.patience, err)
		case <-time.After(glance):
		}
	}
}
