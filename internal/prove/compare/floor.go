package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"net/http"

	"github.com/muster-fleet/muster/internal/clusters/kube/plain"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
)

// noScheduler is what no way can be faster than: pods are made on their nodes, so that nothing binds
// them, and no scheduler runs. What is left is what Jobs and pods cost the API server, the Job
// controller and the nodes.
var noScheduler = way{
	key: "none", name: "no scheduler: pods are made on their nodes", only: []string{"jobs", "gang"},
	lacks: here, version: controlPlane, start: withoutScheduler, make: onNodes,
}

func withoutScheduler(_ context.Context, b *bed) error {
	b.c.KillPart("kube-scheduler")
	return nil
}

// onNodes spreads Jobs over the nodes. All pods of one Job are on one node: kwok takes as many as there are.
func onNodes(b *bed, list []job) (all []made) {
	for _, j := range list {
		sum := fnv.New32a()
		_, _ = sum.Write([]byte(j.name))
		d := batch{spec: kubetest.JSON{"nodeName": nodeName(int(sum.Sum32() % uint32(b.task.nodes)))}}
		all = append(all, d.object(j))
	}
	return all
}

// bindsOnly is what no scheduler can be faster than that binds each pod by a call of its own: no scheduler
// runs, and this program binds each pod to the next node as soon as its watch shows it. So there is one
// watch and one decision less than with any scheduler. Gangs do not wait until they are whole.
var bindsOnly = way{
	key: "binds", name: "no scheduler: each pod is bound at once to the next node", only: []string{"jobs", "gang"},
	lacks: here, version: controlPlane, start: bindAtOnce, make: batches(forNoScheduler),
}

func forNoScheduler(job) batch {
	return batch{spec: kubetest.JSON{"schedulerName": "none"}}
}

// bindAtOnce binds pods in the order in which they are seen, many at a time, until the context ends.
func bindAtOnce(ctx context.Context, b *bed) error {
	b.c.KillPart("kube-scheduler")
	names := make(chan string, 1<<16)
	b.watch.tell(func(name string) { names <- name })
	for worker := range plain.Pace {
		go func() {
			for node := worker; ; node += plain.Pace {
				select {
				case <-ctx.Done():
					return
				case name := <-names:
					b.bind(ctx, name, nodeName(node%b.task.nodes))
				}
			}
		}()
	}
	return nil
}

// bind binds a pod. One that cannot be bound never runs, which ends the sample.
func (b *bed) bind(ctx context.Context, pod, node string) {
	target := kubetest.JSON{"apiVersion": "v1", "kind": "Node", "name": node}
	err := b.c.Call(ctx, http.MethodPost, podsPath+"/"+pod+"/binding", kubetest.JSON{
		"apiVersion": "v1", "kind": "Binding", "metadata": kubetest.JSON{"name": pod, "namespace": space}, "target": target,
	}, nil)
	if err != nil && ctx.Err() == nil {
		fmt.Fprintf(b.o.out, "pod %s is not bound: %v\n", pod, err)
	}
}
