package kube

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// fewFaults is how many random faults happen where MUSTER_FAULTS names no number,
// and atOnce how many between two moments at which everything comes to rest.
const (
	fewFaults = 20
	atOnce    = 5
)

// storm is random work and random faults on a real cluster. What a seed does depends
// on the seed and on what stands when it begins: the first of a run can be repeated.
type storm struct {
	*world
	seed uint64
	r    *rand.Rand
	made int
	work map[string]planned // by name
	undo []func()           // what brings back what was broken for longer
	out  map[string]bool    // nodes that are broken in some way
}

// planned is work that was submitted and not taken back.
type planned struct {
	space   string
	size    int
	elastic bool
}

// stormTeams are namespaces and what their work targets.
var stormTeams = map[string]string{"oak": "oak", "elm": "flex", "ash": "ash"}

// TestFaultsLoseNothingAndStartNothingTwice lets work come and go while everything
// fails at random: see kindsOfFaults. Nothing is ever started twice, and afterwards
// exactly what should run does, and what waits is told why.
//
// MUSTER_FAULTS is how many, MUSTER_SEED where to begin.
func TestFaultsLoseNothingAndStartNothingTwice(t *testing.T) {
	faults, seed := fewFaults, uint64(1)
	if os.Getenv("MUSTER_BIND") == "scheduler" { // it is told a second time then
		faults /= 2
	}
	if n, err := strconv.Atoi(os.Getenv("MUSTER_FAULTS")); err == nil {
		faults = n
	}
	if n, err := strconv.ParseUint(os.Getenv("MUSTER_SEED"), 10, 64); err == nil {
		seed = n
	}
	st := newStorm(t)
	count := map[string]int{}
	for done := 0; done < faults && !t.Failed(); seed++ {
		began := time.Now()
		st.begin(seed)
		for range min(atOnce, faults-done) {
			st.submitOrTakeBack()
			kind := kindsOfFaults[st.r.IntN(len(kindsOfFaults))]
			st.log("fault: %s", kind.what)
			kind.happens(st)
			count[kind.what]++
			done++
			time.Sleep(time.Duration(st.r.IntN(1000)) * time.Millisecond) // faults come at any moment of what goes on
			st.look()
		}
		st.heal()
		st.rest()
		st.log("at rest after %s: %d of work", time.Since(began).Round(time.Second), len(st.work))
	}
	for _, what := range slices.Sorted(maps.Keys(count)) {
		t.Logf("%3d times: %s", count[what], what)
	}
}

func newStorm(t *testing.T) *storm {
	c := controlPlane(t)
	way, err := c.Proxy()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(way.Close)
	w := managingBy(t, way, 2, 4, map[string]int{"oak": 32, "elm": 0, "ash": 16})
	return &storm{world: w, work: map[string]planned{}, out: map[string]bool{}}
}

func (st *storm) begin(seed uint64) { st.seed, st.r = seed, rand.New(rand.NewPCG(seed, 11)) }

func (st *storm) log(format string, args ...any) {
	st.t.Logf("%s seed %d: "+format, append([]any{time.Now().Format("15:04:05.000"), st.seed}, args...)...)
}

// insist asks the API server until it answers: while things fail around it, it may not.
func (st *storm) insist(method, path string, send kubetest.JSON, fine ...int) {
	st.t.Helper()
	var body any
	if send != nil {
		body = send
	}
	st.eventually(patient, method+" "+path, func() string {
		err := st.c.Call(st.ctx, method, path, body, nil)
		if err == nil || slices.Contains(fine, codeOf(err)) {
			return ""
		}
		return err.Error()
	})
}

// submitOrTakeBack lets a person do one thing.
func (st *storm) submitOrTakeBack() {
	if len(st.work) > 3 && st.r.IntN(2) == 0 {
		name := slices.Sorted(maps.Keys(st.work))[st.r.IntN(len(st.work))]
		st.log("%s is deleted", name)
		st.delete(name)
		return
	}
	st.submit(slices.Sorted(maps.Keys(stormTeams))[st.r.IntN(len(stormTeams))], 1+st.r.IntN(3), st.r.IntN(4) == 0)
}

// submit makes a Job, or a Deployment where it is elastic.
func (st *storm) submit(team string, size int, elastic bool) {
	st.made++
	name := fmt.Sprintf("%s-%d-%d", team, st.seed, st.made)
	notes := []string{translate.AnnotationGrace, "5s", leavesAfter, fmt.Sprintf("%ds", st.r.IntN(3))}
	kind, path := job(team, name, size, stormTeams[team], notes...), "/apis/batch/v1/namespaces/"+team+"/jobs"
	if elastic {
		notes = append(notes, translate.AnnotationReplicas, fmt.Sprintf("1..%d", size+1))
		kind, path = deployment(team, name, size+1, stormTeams[team], notes...), "/apis/apps/v1/namespaces/"+team+"/deployments"
	}
	st.work[name] = planned{team, size, elastic}
	st.log("%s of %d pods, elastic %t", name, size, elastic)
	st.insist(http.MethodPost, path, kind, http.StatusConflict)
}

func (st *storm) delete(name string) {
	is := st.work[name]
	delete(st.work, name)
	path := "/apis/batch/v1/namespaces/" + is.space + "/jobs/" + name
	if is.elastic {
		path = "/apis/apps/v1/namespaces/" + is.space + "/deployments/" + name
	}
	st.insist(http.MethodDelete, path+"?propagationPolicy=Background", nil, http.StatusNotFound)
}

// everyPod lists the pods of all teams.
func (st *storm) everyPod() (list []shown) {
	for _, team := range slices.Sorted(maps.Keys(stormTeams)) {
		var pods struct{ Items []shown }
		st.eventually(patient, "the pods of "+team, func() string {
			if err := st.c.Call(st.ctx, http.MethodGet, "/api/v1/namespaces/"+team+"/pods", nil, &pods); err != nil {
				return err.Error()
			}
			return ""
		})
		list = append(list, pods.Items...)
	}
	return list
}

// workOf is the work that a pod is of.
func (p *shown) workOf() string {
	if name := p.Metadata.Labels["batch.kubernetes.io/job-name"]; name != "" {
		return name
	}
	return p.Metadata.Labels["app"]
}

func (p *shown) gpus() int {
	n := 0
	for _, c := range p.Spec.Containers {
		k, _ := strconv.Atoi(c.Resources.Requests["nvidia.com/gpu"])
		n += k
	}
	return n
}

func (p *shown) over() bool { return p.Status.Phase == "Succeeded" || p.Status.Phase == "Failed" }

// look asks what must hold at every moment: no GPU is taken twice, and no rank of a
// Job runs twice.
func (st *storm) look() {
	st.t.Helper()
	taken, ranks := map[string]int{}, map[string]int{}
	for _, p := range st.everyPod() {
		if p.Spec.NodeName == "" || p.over() {
			continue
		}
		taken[p.Spec.NodeName] += p.gpus()
		if rank := p.Metadata.Labels["batch.kubernetes.io/job-completion-index"]; rank != "" && p.Status.Phase == "Running" {
			ranks[p.workOf()+", rank "+rank]++
		}
	}
	for node, n := range taken {
		if n > 8 {
			st.t.Errorf("seed %d: %d GPUs of %s are taken", st.seed, n, node)
		}
	}
	for rank, n := range ranks {
		if n > 1 {
			st.t.Errorf("seed %d: %s runs %d times", st.seed, rank, n)
		}
	}
}

// heal brings back what was broken for longer than a moment.
func (st *storm) heal() {
	st.log("all is healed")
	for _, undo := range slices.Backward(st.undo) {
		undo()
	}
	st.undo = nil
	clear(st.out)
}

// rest waits until exactly what Muster says runs, on the nodes that it says, all
// else waits gated, and is told why.
func (st *storm) rest() {
	st.t.Helper()
	nudged := time.Now()
	st.eventually(patient, fmt.Sprintf("seed %d: rest", st.seed), func() string {
		time.Sleep(200 * time.Millisecond) // looking costs the API server something
		pods := st.everyPod()
		if forgot := st.forgotten(pods); forgot != "" && time.Since(nudged) > 10*time.Second {
			nudged = time.Now()
			st.log("the kubelets have forgotten %s, and are started anew", forgot)
			st.dies("kwok", 1)
		}
		for _, lacks := range []string{st.lost(pods), st.settled(pods), st.asWanted(pods), st.untold(pods)} {
			if lacks != "" {
				return lacks + st.whyWaiting("oak") + st.whyWaiting("elm") + st.whyWaiting("ash")
			}
		}
		return ""
	})
	st.look()
	st.sound()
}

// forgotten names a pod of which the kubelets that are played here should have seen to
// it that it runs or goes: kwok does not look again at what it has missed.
func (st *storm) forgotten(pods []shown) string {
	for _, p := range pods {
		until, err := time.Parse(time.RFC3339, p.Metadata.DeletionTimestamp)
		if p.Spec.NodeName != "" && (err == nil && time.Now().After(until) || err != nil && p.Status.Phase == "Pending") {
			return p.Metadata.Name
		}
	}
	return ""
}

// lost says which work Muster has lost, or not let go. It never took work whose pod was given a target by hand that its
// namespace may not use, before Muster knew it: it is refused, and its pods say so (see untold).
func (st *storm) lost(pods []shown) (lacks string) {
	refused := map[string]bool{}
	for _, p := range pods {
		refused[p.workOf()] = refused[p.workOf()] || p.misdirected()
	}
	st.read(func(s *fleet.State) {
		for name, is := range st.work {
			w := s.Workload(is.space, name)
			if w == nil && refused[name] {
				continue
			}
			if w == nil || w.State != fleet.RunningW && w.State != fleet.Pending {
				lacks = name + " neither runs nor waits"
			}
		}
		for _, w := range s.Workloads {
			if _, known := st.work[w.Name]; !known && !w.State.Ended() {
				lacks = fmt.Sprintf("%s/%s is %s, and nobody wants it", w.Namespace, w.Name, w.State)
			}
		}
	})
	return lacks
}

// misdirected says whether a pod waits for a quota that its namespace may not use, and is told that.
func (p shown) misdirected() bool {
	return p.waits() && p.Metadata.Labels[translate.LabelTarget] == "ash" && p.Metadata.Namespace != "ash" &&
		slices.ContainsFunc(p.Status.Conditions, func(c struct{ Type, Status, Reason, Message string }) bool {
			return c.Type == translate.Condition && c.Reason == "Refused"
		})
}

// settled says which pod is still on its way.
func (st *storm) settled(pods []shown) string {
	for _, p := range pods {
		switch {
		case p.Metadata.DeletionTimestamp != "":
			return p.Metadata.Name + " is still leaving"
		case st.work[p.workOf()].space == "" && !p.over():
			return p.Metadata.Name + " is of no work"
		case !p.waits() && p.Status.Phase == "Pending":
			return p.Metadata.Name + " is not bound"
		}
	}
	return ""
}

// asWanted says what runs and should not, or the other way round, except for pods that a
// Job has not made again: after some failures its controller takes minutes for that.
func (st *storm) asWanted(pods []shown) string {
	want, have, there := map[string]int{}, map[string]int{}, map[string]int{}
	st.read(func(s *fleet.State) {
		for _, w := range s.Workloads {
			if w.At() != nil {
				for _, seat := range seatsOf(w) {
					want[w.Name+" on "+seat.Node]++
				}
			}
		}
	})
	for _, p := range pods {
		if !p.over() {
			there[p.workOf()]++
		}
		if p.Status.Phase == "Running" {
			have[p.workOf()+" on "+p.Spec.NodeName]++
		}
	}
	text := fmt.Sprintf("should run: %v\nruns: %v", want, have)
	for seat := range have {
		if have[seat] > want[seat] {
			return text
		}
	}
	missing := map[string]int{}
	for seat, n := range want {
		var name, node string
		_, _ = fmt.Sscanf(seat, "%s on %s", &name, &node)
		missing[name] += n - have[seat]
	}
	for name, n := range missing {
		if n > max(0, st.work[name].size-there[name]) {
			return text
		}
	}
	return ""
}

// untold says which pod waits and is not told why.
func (st *storm) untold(pods []shown) string {
	for _, p := range pods {
		if !p.waits() || p.over() {
			continue
		}
		told := false
		for _, c := range p.Status.Conditions {
			told = told || c.Type == translate.Condition && c.Status == "False" && c.Reason != "" && c.Message != ""
		}
		if !told {
			return p.Metadata.Name + " waits and is not told why"
		}
	}
	return ""
}
