package main

import (
	"context"
	"fmt"
	"os"

	"github.com/muster-fleet/muster/internal/prove/kubetest"
)

var volcano = peer{folder: "volcano", programs: []string{"scheduler", "controller-manager"}}

// volcanoWay is Volcano: its own scheduler, with PodGroups that its controllers make.
var volcanoWay = way{
	key: "volcano", name: "Volcano", parts: volcano.parts(),
	lacks: volcano.lacks, version: volcano.version, start: startVolcano, make: batches(grouped),
}

const volcanoAPI = "/apis/scheduling.volcano.sh/v1beta1/"

// grouped is a Job whose pods are a PodGroup of Volcano's.
func grouped(j job) batch {
	d := prioritised(j)
	d.spec = with(d.spec, "schedulerName", "volcano")
	d.notes = map[string]any{"scheduling.volcano.sh/group-min-member": fmt.Sprint(j.pods)}
	d.podNotes = map[string]any{"scheduling.volcano.sh/queue-name": ownOrLent(j.class)}
	return d
}

// ownOrLent is the queue of a class; open work stands in that of owned work.
func ownOrLent(of class) string {
	if of == lent {
		return "lent"
	}
	return "owned"
}

// volcanoConfig is the one that Volcano is installed with, and its actions that take room back.
const volcanoConfig = `actions: "enqueue, allocate, preempt, reclaim, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
    enablePreemptable: false
  - name: conformance
- plugins:
  - name: overcommit
  - name: drf
    enablePreemptable: false
  - name: predicates
  - name: proportion
  - name: nodeorder
  - name: binpack
`

// startVolcano starts Volcano's scheduler and controllers. The queue of owned work deserves
// all but a thousandth, that of lent work what this leaves unused.
func startVolcano(ctx context.Context, b *bed) error {
	if err := volcano.kinds(ctx, b, volcanoAPI+"queues", volcanoAPI+"podgroups"); err != nil {
		return err
	}
	file := b.c.File("volcano.yaml")
	if err := os.WriteFile(file, []byte(volcanoConfig), 0o600); err != nil {
		return err
	}
	if err := b.makeAll(ctx, made{"/api/v1/namespaces", kubetest.Namespace("volcano-system")}); err != nil {
		return err
	}
	common := []string{
		"--kubeconfig=" + b.c.Kubeconfig, "--leader-elect=false", "--kube-api-qps=2000", "--kube-api-burst=2000",
		fmt.Sprintf("--listen-address=127.0.0.1:%d", kubetest.FreePort()),
	}
	if err := volcano.run(b, "controller-manager", common...); err != nil {
		return err
	}
	common[len(common)-1] = fmt.Sprintf("--listen-address=127.0.0.1:%d", kubetest.FreePort())
	if err := volcano.run(b, "scheduler", append(common, "--scheduler-conf="+file, "--cache-dumper=false")...); err != nil {
		return err
	}
	if err := withPriorities(ctx, b); err != nil {
		return err
	}
	return b.makeAll(ctx, volcanoQueue("owned", 1000), volcanoQueue("lent", 1))
}

func volcanoQueue(name string, weight int) made {
	return made{volcanoAPI + "queues", kubetest.JSON{
		"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": kubetest.JSON{"name": name},
		"spec": kubetest.JSON{"weight": weight, "reclaimable": true},
	}}
}
