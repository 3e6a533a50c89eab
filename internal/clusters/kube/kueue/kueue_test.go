package kueue

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// house is an engine, and Kueue's objects as an API server would keep them.
type house struct {
	t    *testing.T
	now  fleet.Instant
	e    *engine.Engine
	o    translate.Options
	objs map[string]*unstructured.Unstructured // by resource/name
	seq  int
}

func newHouse(t *testing.T) *house {
	h := &house{t: t, now: fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)), o: translate.Defaults("tiger"), objs: map[string]*unstructured.Unstructured{}}
	e, err := engine.Open(context.Background(), engine.Options{Journal: memory.New(), Now: func() fleet.Instant { return h.now }, Synchronous: true})
	if err != nil {
		t.Fatal(err)
	}
	h.e = e
	t.Cleanup(func() { _ = e.Close() })
	policy := fleet.DefaultPolicy()
	policy.Buffer.Share = 0
	h.do(core.SetPolicy{Policy: policy})
	h.do(core.AddCluster{Name: "tiger"})
	for _, gpu := range []string{"h200", "b300"} {
		h.do(core.AddPartition{Cluster: "tiger", GPU: gpu})
		h.do(core.AddIslands{Partition: "tiger/" + gpu, Islands: []core.NewIsland{{Name: "a", Nodes: 4}, {Name: "b", Nodes: 3}}})
	}
	h.put("resourceflavors", `{"metadata":{"name":"fast"},"spec":{"nodeLabels":{"nvidia.com/gpu.product":"NVIDIA-B300"}}}`)
	h.put("resourceflavors", `{"metadata":{"name":"h200"}}`)
	h.put("resourceflavors", `{"metadata":{"name":"old"},"spec":{"nodeLabels":{"nvidia.com/gpu.product":"Tesla-V100-SXM2-16GB"}}}`)
	return h
}

func (h *house) do(c core.Command) {
	h.t.Helper()
	if _, err := h.e.Do(context.Background(), core.Request{Command: c, Actor: core.Reporter, Reason: "the test"}); err != nil {
		h.t.Fatalf("%T: %v", c, err)
	}
}

// put writes an object as its owner would.
func (h *house) put(resource, text string) {
	h.t.Helper()
	u := &unstructured.Unstructured{}
	if err := json.Unmarshal([]byte(text), &u.Object); err != nil {
		h.t.Fatal(err)
	}
	u.Object = plain(u.Object).(map[string]any)
	h.keep(resource, u, "kubectl")
}

// plain makes whole numbers int64, as the API server's client does.
func plain(of any) any {
	switch of := of.(type) {
	case map[string]any:
		for k, v := range of {
			of[k] = plain(v)
		}
	case []any:
		for i, v := range of {
			of[i] = plain(v)
		}
	case float64:
		return int64(of)
	}
	return of
}

func (h *house) keep(resource string, u *unstructured.Unstructured, manager string) {
	h.seq++
	u.SetResourceVersion(fmt.Sprint(h.seq))
	u.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: manager, FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:resourceGroups":{}}}`)}})
	h.objs[resource+"/"+u.GetName()] = u
}

// queue is a ClusterQueue of both models in a cohort.
func (h *house) queue(name, cohort string, h200, b300 int) {
	h.put("clusterqueues", fmt.Sprintf(`{"metadata":{"name":%q},"spec":{"cohortName":%q,"preemption":{"reclaimWithinCohort":"Any"},"resourceGroups":[{"coveredResources":["cpu","nvidia.com/gpu"],"flavors":[
		{"name":"h200","resources":[{"name":"cpu","nominalQuota":"100"},{"name":"nvidia.com/gpu","nominalQuota":%d}]},
		{"name":"fast","resources":[{"name":"cpu","nominalQuota":"500m"},{"name":"nvidia.com/gpu","nominalQuota":"%d"}]}]}]}}`, name, cohort, h200, b300))
}

func (h *house) objects() (is Objects) {
	for _, key := range keys(h.objs) {
		switch resource, _, _ := strings.Cut(key, "/"); resource {
		case "clusterqueues":
			is.Queues = append(is.Queues, h.objs[key])
		case "cohorts":
			is.Cohorts = append(is.Cohorts, h.objs[key])
		case "resourceflavors":
			is.Flavors = append(is.Flavors, h.objs[key])
		}
	}
	return is
}

func (h *house) plan() (p Plan) {
	h.e.Read(func(s *fleet.State) { p = PlanOf(s, &h.o, h.objects()) })
	return p
}

// write does what the API server does with an application.
func (h *house) write(a Apply) {
	h.t.Helper()
	send := &unstructured.Unstructured{Object: deep(a.Object).(map[string]any)}
	is := h.objs[a.Resource+"/"+a.Name]
	switch {
	case is == nil && send.GetResourceVersion() != "", is != nil && send.GetResourceVersion() != is.GetResourceVersion():
		h.t.Fatalf("%s %s is written at version %q", a.Resource, a.Name, send.GetResourceVersion())
	case is == nil:
		is = send
	default:
		is = is.DeepCopy()
		notes := is.GetAnnotations()
		if notes == nil {
			notes = map[string]string{}
		}
		for k, v := range send.GetAnnotations() {
			notes[k] = v
		}
		is.SetAnnotations(notes)
		for k, v := range send.Object["spec"].(map[string]any) {
			is.Object["spec"].(map[string]any)[k] = v
		}
	}
	h.keep(a.Resource, is, Manager)
}

func (h *house) writeAll(p Plan) {
	for _, a := range p.Apply {
		h.write(a)
	}
}

// adopt grants what the queues say and is not granted yet, as the agent does.
func (h *house) adopt() {
	for _, q := range h.objects().Queues {
		path := translate.PathOf(q)
		if q.GetName() == FlexQueue {
			continue
		}
		var known bool
		granted := map[string]bool{}
		h.e.Read(func(s *fleet.State) {
			known = s.Quota(path) != nil
			for _, p := range s.Partitions {
				granted[p.ID] = p.Account(path) != nil
			}
		})
		if !known {
			h.do(core.CreateQuota{Path: path})
		}
		for flavor, part := range map[string]string{"h200": "tiger/h200", "fast": "tiger/b300"} {
			if n := gpuAmounts(q, nil, &h.o)[flavor].Nominal; n > 0 && !granted[part] {
				h.do(core.SetGrant{Quota: path, Partition: part, GPUs: n / 8 * 8, Overcommit: true})
			}
		}
	}
}

func (h *house) down(nodes ...string) {
	h.do(core.SetNodes{Names: nodes, State: fleet.Quarantined, Signal: "the test"})
}

// TestWhatIsWrittenIsWhatIsBacked loses two nodes of a cluster that promises all of
// them, and compares what is written with what a person has read and found right.
func TestWhatIsWrittenIsWhatIsBacked(t *testing.T) {
	h := newHouse(t)
	h.queue("oak", "research", 32, 0)
	h.queue("elm", "research", 16, 24)
	h.queue("alone", "", 8, 0)
	h.adopt()
	h.writeAll(h.plan())
	h.down("tiger-h200-a-001", "tiger-h200-b-001")
	p := h.plan()
	text, err := json.MarshalIndent(map[string]any{"apply": p.Apply, "said": p.Said}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "two-nodes-lost.json")
	if os.Getenv("MUSTER_UPDATE") != "" {
		if err := os.WriteFile(file, append(text, '\n'), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != string(text)+"\n" {
		t.Errorf("%s says otherwise (MUSTER_UPDATE=1 rewrites it):\n%s", file, text)
	}
}

// TestNeverMoreThanCanBePromised lets nodes fail and return, people change grants
// and edit queues by hand, at random. What Muster has written is never more than
// can be promised, nor with flex more than is usable; what another person has
// changed is told and left; and written once, nothing is left to write.
func TestNeverMoreThanCanBePromised(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 10
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 5))
		h := newHouse(t)
		h.queue("oak", "research", 8*r.IntN(8), 8*r.IntN(8))
		h.queue("elm", "research", 8*r.IntN(8), 8*r.IntN(8))
		h.queue("fir", "apps", 8*r.IntN(8), 0)
		h.adopt()
		edited := map[string]bool{}
		for range 30 {
			h.now = h.now.Add(time.Duration(r.IntN(20)) * time.Hour)
			h.stir(r, edited)
			h.adopt()
			h.writeAll(h.plan())
			p := h.plan()
			if len(p.Apply) > 0 {
				t.Fatalf("seed %d: written once, %d objects are left to write: %v", seed, len(p.Apply), p.Apply[0])
			}
			h.check(seed, edited, p)
		}
	}
}

func (h *house) stir(r *rand.Rand, edited map[string]bool) {
	node := fmt.Sprintf("tiger-%s-a-%03d", []string{"h200", "b300"}[r.IntN(2)], 1+r.IntN(4))
	switch r.IntN(5) {
	case 0, 1:
		h.down(node)
	case 2:
		h.do(core.SetNodes{Names: []string{node}, State: fleet.Healthy, Signal: "the test"})
	case 3:
		h.do(core.SetGrant{Quota: "research/oak", Partition: "tiger/h200", GPUs: 8 * r.IntN(9), Overcommit: true})
	default: // a person changes a queue, or hands it back
		name := []string{"oak", "elm", "fir"}[r.IntN(3)]
		is := h.objs["clusterqueues/"+name].DeepCopy()
		if edited[name] {
			notes := is.GetAnnotations()
			delete(notes, Written)
			is.SetAnnotations(notes)
			edited[name] = false
		} else {
			odd := amount{"nvidia.com/gpu", 8*r.IntN(9) + 1, none, none} // Muster writes whole nodes
			is.Object["spec"].(map[string]any)["resourceGroups"] = filled(groups(is), map[string]amount{"h200": odd}, &h.o)
			_, edited[name] = writtenTo(is) // before the first writing it belongs to no one
		}
		h.keep("clusterqueues", is, "kubectl-edit")
	}
}

func (h *house) check(seed uint64, edited map[string]bool, p Plan) {
	h.t.Helper()
	some := false
	for name, by := range edited {
		some = some || by
		path := translate.PathOf(h.objs["clusterqueues/"+name])
		if by != (p.ByQuota[path] != "") || by && !strings.Contains(p.ByQuota[path], "kubectl-edit has set flavor h200") {
			h.t.Fatalf("seed %d: %s was edited: %t, and %q is said", seed, name, by, p.ByQuota[path])
		}
	}
	h.e.Read(func(s *fleet.State) {
		for flavor, part := range map[string]*fleet.Partition{"h200": s.Partition("tiger/h200"), "fast": s.Partition("tiger/b300")} {
			mine, all := 0, 0
			for _, q := range h.objects().Queues {
				n := gpuAmounts(q, nil, &h.o)[flavor].Nominal
				if all += n; q.GetName() != FlexQueue && !edited[q.GetName()] {
					mine += n
				}
			}
			if promisable := part.Promisable * part.GPUsPerNode; mine > promisable {
				h.t.Fatalf("seed %d: %d GPUs of %s are written, %d can be promised", seed, mine, flavor, promisable)
			}
			if usable := part.Tally().Usable; !some && all > usable {
				h.t.Fatalf("seed %d: %d GPUs of %s with flex, %d are usable", seed, all, flavor, usable)
			}
		}
	})
}

// TestWhatKueueKeepsWaitingIsSeen reads a Workload whose Job is suspended: it has no
// pods, and is a gang of two even so, in Kueue's words as well.
func TestWhatKueueKeepsWaitingIsSeen(t *testing.T) {
	read := func(text string) *unstructured.Unstructured {
		u := &unstructured.Unstructured{}
		if err := json.Unmarshal([]byte(text), &u.Object); err != nil {
			t.Fatal(err)
		}
		u.Object = plain(u.Object).(map[string]any)
		return u
	}
	o := translate.Defaults("tiger")
	w, ok := WorkloadOf(read(`{"metadata":{"name":"job-train-1","namespace":"oak","uid":"u1","creationTimestamp":"2026-01-01T00:00:00Z",
		"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"train","uid":"j1","controller":true}]},
		"spec":{"queueName":"main","podSets":[{"name":"main","count":2,"template":{"metadata":{"annotations":{"muster.dev/author":"forged"}},"spec":{"containers":[{"name":"c","resources":{"requests":{"nvidia.com/gpu":"8"}}}]}}}]},
		"status":{"conditions":[{"type":"QuotaReserved","status":"False","reason":"Pending","message":"insufficient unused quota"}]}}`), &o)
	if !ok || w.Says != "Pending: insufficient unused quota" || w.Queue != "main" || w.Pods[0].Count != 2 {
		t.Fatalf("read %t %+v", ok, w)
	}
	if made := w.Pods[0].Like.Made; made.Author != "" || made.By != (translate.Maker{Group: "batch", Kind: "Job", Name: "train", UID: "j1"}) {
		t.Errorf("a pod that is not made yet was made so: %+v; a template says nothing of its author", made)
	}
	work := translate.Group(Complete(nil, []Workload{w}))
	if len(work) != 1 || work[0].Name != "train" || work[0].Pools[0].Pool.Min != 2 || work[0].Pools[0].Pool.GPUs != 8 {
		t.Errorf("it is seen as %+v", work)
	}
	made := translate.Pod{Namespace: "oak", Name: "train-0", UID: "p", GPUs: 8, Owner: translate.Owner{Kind: "Job", Name: "train", UID: "j1"}}
	if pods := Complete([]translate.Pod{made}, []Workload{w}); len(pods) != 1 || pods[0].Wishes.Queue != "main" {
		t.Errorf("beside a real pod: %+v", pods)
	}
	bad := read(`{"metadata":{"name":"x","namespace":"oak","ownerReferences":[{"kind":"Job","name":"j","uid":"1","controller":true}]},
		"spec":{"podSets":[7,{"count":-1},{"name":"a","count":9999999999,"template":{"spec":{"containers":[{"resources":{"requests":{"nvidia.com/gpu":"1"}}}]}}}]}}`)
	if w, ok := WorkloadOf(bad, &o); !ok || w.Pods[0].Count != mostPods {
		t.Errorf("of a huge one %d pods are believed, want %d", w.Pods[0].Count, mostPods)
	}
}

// TestGroupsOfSeveralShapesAreOneShape asks that flex covers each resource and each flavor once.
func TestGroupsOfSeveralShapesAreOneShape(t *testing.T) {
	h := newHouse(t)
	h.queue("a", "t", 8, 8)
	h.put("clusterqueues", `{"metadata":{"name":"b"},"spec":{"cohortName":"t","resourceGroups":[{"coveredResources":["nvidia.com/gpu"],"flavors":[{"name":"h200","resources":[{"name":"nvidia.com/gpu","nominalQuota":"8"}]}]},
		{"coveredResources":["memory"],"flavors":[{"name":"ram","resources":[{"name":"memory","nominalQuota":"1Ti"}]}]}]}}`)
	queues := h.objects().Queues
	var covered, flavors []string
	for _, g := range bare(queues) {
		list, _, _ := unstructured.NestedStringSlice(g.(map[string]any), "coveredResources")
		covered = append(covered, list...)
		for _, f := range maps(g, "flavors") {
			flavors = append(flavors, f["name"].(string))
			if len(maps(f, "resources")) != len(list) {
				t.Errorf("flavor %s lists %v of %v", f["name"], f["resources"], list)
			}
		}
	}
	if !slices.Equal(covered, []string{"cpu", "nvidia.com/gpu", "memory"}) || !reflect.DeepEqual(flavors, []string{"h200", "fast", "ram"}) {
		t.Errorf("covered %v, flavors %v", covered, flavors)
	}
}
