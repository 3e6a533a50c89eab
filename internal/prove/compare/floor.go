package main

import (
	"context"
	"hash/fnv"

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
