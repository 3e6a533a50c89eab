package kube

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// lap is one thing that is measured.
type lap struct {
	by   string // kube-scheduler alone, Muster or Kueue
	gang bool   // half as many pods that are one; else each for itself
	jobs bool   // made by the Job controller, from Jobs; else pods without an owner
}

func (l lap) what(n int) string {
	kind := map[bool]string{true: "Jobs", false: "pods"}[l.jobs]
	if l.gang {
		return fmt.Sprintf("one gang of %d %s", n, map[bool]string{true: "(a Job)", false: "pods"}[l.jobs])
	}
	return fmt.Sprintf("%d %s of one", n, kind)
}

const alone = "kube-scheduler"

// laps are measured in this order: what is compared stands close together.
var laps = []lap{
	{by: alone},
	{by: "Muster"},
	{by: alone},
	{by: "Muster"},
	{by: alone, gang: true},
	{by: "Muster", gang: true},
	{by: alone, gang: true},
	{by: "Muster", gang: true},
	{by: alone, jobs: true},
	{by: "Muster", jobs: true},
	{by: alone, gang: true, jobs: true},
	{by: "Muster", gang: true, jobs: true},
	{by: "Kueue", jobs: true},
	{by: "Kueue", gang: true, jobs: true},
}

// result is what a lap took.
type result struct{ made, bound, server, own, kueue time.Duration }

// TestSpeed measures where MUSTER_SPEED is set: from the first pod or Job made to the
// last pod bound, through Muster, by kube-scheduler alone, and through Kueue where its
// controller is built. It asks for nothing but that all are bound.
func TestSpeed(t *testing.T) {
	many, err := strconv.Atoi(os.Getenv("MUSTER_SPEED"))
	if err != nil {
		t.Skip("MUSTER_SPEED=1000 measures with so many pods")
	}
	w := managing(t, 4, many/16, map[string]int{"oak": 0})
	sums, counts := map[lap]result{}, map[lap]int{}
	for i, l := range laps {
		n := many
		if l.gang {
			n /= 2
		}
		if l.by == "Kueue" && !w.kueueRuns(many) {
			break
		}
		r := w.lap(l, i, n)
		t.Logf("%-15s %-28s made in %4.1f s, bound after %5.1f s; CPU: API server %5.1f s, Muster and the test %4.1f s, Kueue %.1f s; load %s",
			l.by, l.what(n), r.made.Seconds(), r.bound.Seconds(), r.server.Seconds(), r.own.Seconds(), r.kueue.Seconds(), load())
		was := sums[l]
		sums[l] = result{was.made + r.made, was.bound + r.bound, was.server + r.server, was.own + r.own, was.kueue + r.kueue}
		counts[l]++
	}
	w.table(many, sums, counts)
}

// table says how each compares with kube-scheduler alone. Of Muster's own CPU what
// the test itself takes to make and to watch the same pods is taken off.
func (w *world) table(many int, sums map[lap]result, counts map[lap]int) {
	said := map[lap]bool{}
	for _, l := range laps {
		base := lap{alone, l.gang, l.jobs}
		if l.by == alone || counts[l] == 0 || said[l] {
			continue
		}
		said[l] = true
		n := many
		if l.gang {
			n /= 2
		}
		per := func(l lap, d time.Duration) float64 { return d.Seconds() / float64(counts[l]) }
		r, b := sums[l], sums[base]
		own := per(l, r.own) - per(base, b.own)
		if l.by == "Kueue" {
			own = per(l, r.kueue)
		}
		w.t.Logf("| %s | %s | %.1f s | kube-scheduler alone %.1f s | %.2f times | CPU of it %.1f s, of the API server %.1f s: %.0f %% |",
			l.what(n), l.by, per(l, r.bound), per(base, b.bound), per(l, r.bound)/per(base, b.bound), own, per(l, r.server), 100*own/per(l, r.server))
	}
}

// kueueRuns starts Kueue with room for all, once.
func (w *world) kueueRuns(gpus int) bool {
	if w.c.Process("kueue") != 0 {
		return true
	}
	if _, err := kubetest.KueueBinary(w.ctx); err != nil {
		w.t.Log(err)
		return false
	}
	w.kueueCRDs()
	w.startKueue()
	w.flavor("fast", "NVIDIA-H200")
	w.clusterQueue("oak", "research", "fast", gpus)
	return true
}

// lap makes pods or Jobs and waits until all pods are bound, as the agent's watch
// shows it: looking at it costs the API server nothing.
func (w *world) lap(l lap, number, n int) (r result) {
	w.t.Helper()
	path, objects := "/api/v1/namespaces/oak/pods", w.podsFor(l, number, n)
	if l.jobs {
		path = "/apis/batch/v1/namespaces/oak/jobs"
	}
	server, own, its := cpuOf(w.c.Process("kube-apiserver")), ownCPU(), cpuOf(w.c.Process("kueue"))
	began := time.Now()
	if err := w.c.CreateAll(w.ctx, path, objects); err != nil {
		w.t.Fatal(err)
	}
	r.made = time.Since(began)
	w.eventually(5*time.Minute, "all bound", func() string {
		bound := 0
		for _, p := range w.agent.watch.gpuPods() {
			if p.Namespace == "oak" && p.Node != "" && !p.Leaving {
				bound++
			}
		}
		if bound != n {
			return fmt.Sprintf("%d of %d are bound", bound, n)
		}
		return ""
	})
	r.bound = time.Since(began)
	r.server, r.own, r.kueue = cpuOf(w.c.Process("kube-apiserver"))-server, ownCPU()-own, cpuOf(w.c.Process("kueue"))-its
	w.emptied()
	return r
}

// emptied removes everything in the namespace, and waits until nothing is known of it.
func (w *world) emptied() {
	w.t.Helper()
	w.eventually(2*time.Minute, "nothing left", func() string {
		_ = w.c.Call(w.ctx, http.MethodDelete, "/apis/batch/v1/namespaces/oak/jobs?propagationPolicy=Background", nil, nil)
		_ = w.c.Call(w.ctx, http.MethodDelete, "/api/v1/namespaces/oak/pods?gracePeriodSeconds=0", nil, nil)
		time.Sleep(200 * time.Millisecond)
		left := len(w.pods("oak"))
		w.read(func(s *fleet.State) {
			for _, x := range s.Workloads {
				if !x.State.Ended() {
					left++
				}
			}
		})
		if left > 0 {
			return fmt.Sprint(left, " pods and workloads are left")
		}
		return ""
	})
}

// podsFor are the pods or Jobs of a lap.
func (w *world) podsFor(l lap, number, n int) (list []kubetest.JSON) {
	var notes []string
	of := map[bool]string{true: "flex", false: ""}[l.by == "Muster"]
	if l.gang && of != "" {
		notes = []string{translate.AnnotationReplicas, fmt.Sprint(n), translate.AnnotationReach, "any"}
	}
	size, count := 1, n
	if l.gang && l.jobs {
		size, count = n, 1
	}
	for i := range count {
		name := fmt.Sprintf("l%d-%04d", number, i)
		p := kubetest.Pod("oak", name, 1)
		if of != "" {
			p = target(p, of, notes...)
		}
		if notes != nil && !l.jobs {
			p["metadata"].(kubetest.JSON)["labels"].(kubetest.JSON)[translate.LabelWorkload] = fmt.Sprint("gang-", number)
		}
		if l.jobs {
			p = asJob(p, size)
			if l.by == "Kueue" {
				p["metadata"].(kubetest.JSON)["labels"] = kubetest.JSON{"kueue.x-k8s.io/queue-name": "oak"}
				p["spec"].(kubetest.JSON)["suspend"] = true
			}
		}
		list = append(list, p)
	}
	return list
}

// asJob is a Job of so many pods like one.
func asJob(p kubetest.JSON, pods int) kubetest.JSON {
	meta, spec := p["metadata"].(kubetest.JSON), p["spec"].(kubetest.JSON)
	spec["restartPolicy"] = "Never"
	return kubetest.JSON{
		"apiVersion": "batch/v1", "kind": "Job", "metadata": kubetest.JSON{"name": meta["name"], "namespace": "oak"},
		"spec": kubetest.JSON{
			"parallelism": pods, "completions": pods, "completionMode": "Indexed", "backoffLimit": 100,
			"template": kubetest.JSON{"metadata": kubetest.JSON{"labels": meta["labels"], "annotations": meta["annotations"]}, "spec": spec},
		},
	}
}

// load is that of the machine, of the last minute.
func load() string {
	data, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(data), " ")
	return first
}

// cpuOf is the time that a process has computed, from Linux's clock ticks of 10 ms.
func cpuOf(pid int) time.Duration {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

func ownCPU() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
