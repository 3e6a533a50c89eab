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

	"github.com/muster-fleet/muster/internal/driver/kube/kubetest"
	"github.com/muster-fleet/muster/internal/driver/kube/translate"
)

// TestSpeed measures where MUSTER_SPEED is set: from the first pod made to the last
// one bound, for many jobs of one pod and for one gang, through Muster and by
// kube-scheduler alone. It asks for nothing but that all are bound.
func TestSpeed(t *testing.T) {
	many, err := strconv.Atoi(os.Getenv("MUSTER_SPEED"))
	if err != nil {
		t.Skip("MUSTER_SPEED=1000 measures with so many pods")
	}
	w := managing(t, 4, many/16, map[string]int{"oak": 0})
	for _, c := range []struct {
		what  string
		notes []string
		of    string
	}{
		{"kube-scheduler alone, pods", nil, ""},
		{"Muster, jobs of one pod", nil, "flex"},
		{"Muster, one gang of half as many pods", []string{translate.AnnotationReplicas, fmt.Sprint(many / 2), translate.AnnotationReach, "any"}, "flex"},
		{"kube-scheduler alone, half as many pods", nil, ""},
	} {
		n, pods := many, []kubetest.JSON{}
		if strings.Contains(c.what, "half") {
			n = many / 2
		}
		for i := range n {
			p := kubetest.Pod("oak", fmt.Sprintf("p-%04d", i), 1)
			if c.of != "" {
				p = target(p, c.of, c.notes...)
			}
			if c.notes != nil {
				p["metadata"].(kubetest.JSON)["labels"].(kubetest.JSON)[translate.LabelWorkload] = "gang"
			}
			pods = append(pods, p)
		}
		server, mine := cpuOf(w.c.Process("kube-apiserver")), ownCPU()
		began := time.Now()
		if err := w.c.CreateAll(w.ctx, "/api/v1/namespaces/oak/pods", pods); err != nil {
			t.Fatal(err)
		}
		made := time.Since(began)
		w.eventually(5*time.Minute, "all bound", func() string {
			bound := 0
			for _, p := range w.pods("oak") {
				bound += min(1, len(p.Spec.NodeName))
			}
			if bound != n {
				time.Sleep(200 * time.Millisecond) // looking costs the API server something
				return fmt.Sprintf("%d of %d are bound", bound, n)
			}
			return ""
		})
		t.Logf("%s: %d made in %.1f s, all bound after %.1f s; CPU of the API server %.1f s, of this process %.1f s", c.what, n,
			made.Seconds(), time.Since(began).Seconds(), (cpuOf(w.c.Process("kube-apiserver")) - server).Seconds(), (ownCPU() - mine).Seconds())
		w.call(http.MethodDelete, "/api/v1/namespaces/oak/pods?gracePeriodSeconds=0", nil, nil)
		w.eventually(time.Minute, "nothing left", func() string {
			if left := len(w.pods("oak")); left > 0 {
				return fmt.Sprint(left, " are left")
			}
			return w.figures(many/16*4*8, many/16*4*8)
		})
		time.Sleep(12 * time.Second) // what was there is forgotten
	}
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
