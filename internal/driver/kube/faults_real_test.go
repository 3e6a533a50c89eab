package kube

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/driver/kube/translate"
	"github.com/muster-fleet/muster/internal/fleet"
)

// fewFaults is how many random faults happen where MUSTER_FAULTS names no number.
const fewFaults = 20

// storm is random work and random faults on a real cluster.
type storm struct {
	*world
	seed uint64
	r    *rand.Rand
	jobs map[string]int // size of each Job, by name
	down map[string]bool
}

// TestFaultsLoseNothingAndStartNothingTwice lets work come and go while the API
// server, etcd, the server and its watch fail at random, pods are deleted and edited
// by hand and nodes fail. Afterwards exactly what should run does.
func TestFaultsLoseNothingAndStartNothingTwice(t *testing.T) {
	faults, seed := fewFaults, uint64(1)
	if n, err := strconv.Atoi(os.Getenv("MUSTER_FAULTS")); err == nil {
		faults = n
	}
	if n, err := strconv.ParseUint(os.Getenv("MUSTER_SEED"), 10, 64); err == nil {
		seed = n
	}
	w := managing(t, 2, 4, map[string]int{"oak": 32, "elm": 0})
	st := &storm{world: w, jobs: map[string]int{}, down: map[string]bool{}}
	for done := 0; done < faults; seed++ {
		st.seed, st.r = seed, rand.New(rand.NewPCG(seed, 11))
		for range 5 {
			st.work()
			st.fault()
			done++
			time.Sleep(time.Duration(st.r.IntN(1500)) * time.Millisecond) // faults come at any moment of what goes on
			st.oneCopyPerGPU()
			st.noRankTwice()
		}
		st.heal()
		st.rest()
	}
}

func (st *storm) log(format string, args ...any) {
	st.t.Logf("seed %d: "+format, append([]any{st.seed}, args...)...)
}

// work submits a Job, or takes one back.
func (st *storm) work() {
	if len(st.jobs) > 3 && st.r.IntN(2) == 0 {
		name := slices.Sorted(maps.Keys(st.jobs))[st.r.IntN(len(st.jobs))]
		space := st.space(name)
		st.call(http.MethodDelete, "/apis/batch/v1/namespaces/"+space+"/jobs/"+name+"?propagationPolicy=Background", nil, nil)
		delete(st.jobs, name)
		st.log("job %s is deleted", name)
		return
	}
	team := []string{"oak", "elm"}[st.r.IntN(2)]
	of := map[string]string{"oak": "oak", "elm": "flex"}[team]
	name := fmt.Sprintf("%s-%d-%d", team, st.seed, len(st.jobs)+100*st.r.IntN(100))
	st.jobs[name] = 1 + st.r.IntN(3)
	st.job(job(team, name, st.jobs[name], of, translate.AnnotationGrace, "5s", leavesAfter, fmt.Sprintf("%ds", st.r.IntN(3))))
	st.log("job %s of %d pods", name, st.jobs[name])
}

func (st *storm) space(job string) string { return strings.SplitN(job, "-", 2)[0] }

// fault lets one thing fail.
func (st *storm) fault() {
	switch st.r.IntN(8) {
	case 0:
		st.log("the API server dies and comes back")
		st.c.KillPart("kube-apiserver")
		time.Sleep(time.Duration(st.r.IntN(2000)) * time.Millisecond)
		if err := st.c.StartPart("kube-apiserver"); err != nil {
			st.t.Fatal(err)
		}
		if err := st.c.Ready(st.ctx); err != nil {
			st.t.Fatal(err)
		}
	case 1:
		pause := time.Duration(500+st.r.IntN(4000)) * time.Millisecond
		st.log("etcd stands still for %s", pause)
		_ = st.c.PausePart("etcd")
		time.Sleep(pause)
		_ = st.c.ResumePart("etcd")
	case 2, 3:
		st.log("the server dies and comes back")
		st.restart(fleet.Enforce)
	case 4:
		st.anyPod("is deleted by hand", http.MethodDelete, "", nil)
	case 5:
		st.anyPod("loses its annotation by hand", http.MethodPatch, "", map[string]any{"metadata": map[string]any{"annotations": map[string]any{translate.AnnotationPriority: "urgent", "note": "edited"}}})
	case 6:
		node := fmt.Sprintf("i%d-n%03d", st.r.IntN(2), st.r.IntN(4))
		if !st.down[node] && len(st.down) < 2 {
			st.down[node] = true
			st.log("node %s fails", node)
			st.condition(node, "Ready", "False", time.Now().Add(-10*time.Minute))
		}
	default:
		st.log("kube-scheduler dies and comes back")
		st.c.KillPart("kube-scheduler")
		time.Sleep(time.Duration(st.r.IntN(1000)) * time.Millisecond)
		if err := st.c.StartPart("kube-scheduler"); err != nil {
			st.t.Fatal(err)
		}
	}
}

func (st *storm) anyPod(what, method, sub string, body map[string]any) {
	pods := append(st.pods("oak"), st.pods("elm")...)
	if len(pods) == 0 {
		return
	}
	at := st.r.IntN(len(pods))
	space, name := st.space(pods[at].Metadata.Name), pods[at].Metadata.Name
	st.log("pod %s %s", name, what)
	_ = st.c.Call(st.ctx, method, "/api/v1/namespaces/"+space+"/pods/"+name+sub, body, nil)
}

// noRankTwice asks that no rank of a Job runs twice.
func (st *storm) noRankTwice() {
	st.t.Helper()
	for _, space := range []string{"oak", "elm"} {
		live := map[string]int{}
		for _, p := range st.pods(space) {
			if p.Spec.NodeName != "" && p.Status.Phase == "Running" {
				cut := strings.LastIndexByte(p.Metadata.Name, '-') // <job>-<rank>-<random>
				live[p.Metadata.Name[:cut]]++
			}
		}
		for rank, n := range live {
			if n > 1 {
				st.t.Errorf("seed %d: %s/%s runs %d times", st.seed, space, rank, n)
			}
		}
	}
}

// heal brings the nodes back.
func (st *storm) heal() {
	for node := range st.down {
		st.condition(node, "Ready", "True", time.Now())
	}
	clear(st.down)
}

// asWanted says whether what runs is what should, but for pods that a Job has not
// made again: after some failures its controller takes minutes for that.
func (st *storm) asWanted(want, have, pods map[string]int) bool {
	missing := map[string]int{}
	for seat, n := range want {
		_, name, _ := strings.Cut(seat[:strings.IndexByte(seat, ' ')], "/")
		missing[name] += n - have[seat]
		if have[seat] > n {
			return false
		}
	}
	for seat := range have {
		if want[seat] == 0 {
			return false
		}
	}
	for name, n := range missing {
		if n > max(0, st.jobs[name]-pods[name]) {
			return false
		}
	}
	return true
}

// rest waits until exactly what Muster says runs, on the nodes that it says, and all
// else waits gated.
func (st *storm) rest() {
	st.t.Helper()
	st.eventually(60*time.Second, fmt.Sprintf("seed %d: rest", st.seed), func() string {
		want := map[string]int{}
		states := map[string]fleet.WorkloadState{}
		st.read(func(s *fleet.State) {
			for _, w := range s.Workloads {
				if w.At() != nil {
					for _, seat := range seatsOf(w) {
						want[w.Namespace+"/"+w.Name+" on "+seat.Node]++
					}
				}
				if !w.State.Ended() {
					states[w.Name] = w.State
				}
			}
		})
		have, pods := map[string]int{}, map[string]int{}
		for _, space := range []string{"oak", "elm"} {
			for _, p := range st.pods(space) {
				name := p.Metadata.Name[:strings.LastIndexByte(p.Metadata.Name, '-')]
				name = name[:strings.LastIndexByte(name, '-')]
				pods[name]++
				switch {
				case p.Metadata.DeletionTimestamp != "":
					return p.Metadata.Name + " is still leaving"
				case p.Status.Phase == "Running":
					have[space+"/"+name+" on "+p.Spec.NodeName]++
				case len(p.Spec.SchedulingGates) == 0 && p.Status.Phase == "Pending":
					return p.Metadata.Name + " is not bound"
				}
			}
		}
		for name := range st.jobs {
			if s := states[name]; s != fleet.RunningW && s != fleet.Pending {
				return name + " is " + string(s)
			}
		}
		if !st.asWanted(want, have, pods) {
			return fmt.Sprintf("should run: %v\nruns: %v%s%s", want, have, st.whyWaiting("oak"), st.whyWaiting("elm"))
		}
		return ""
	})
	st.log("at rest: %d jobs", len(st.jobs))
	st.sound()
}
