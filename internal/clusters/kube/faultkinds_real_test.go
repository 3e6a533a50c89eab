package kube

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// faultKind is one thing that can go wrong.
type faultKind struct {
	what    string
	happens func(*storm)
}

// kindsOfFaults are drawn from with equal odds.
var kindsOfFaults = []faultKind{
	{"the API server dies and comes back", func(st *storm) { st.dies("kube-apiserver", 2000) }},
	{"etcd dies and comes back", func(st *storm) { st.dies("etcd", 3000) }},
	{"etcd stands still for seconds", func(st *storm) { st.standsStill(time.Duration(500+st.r.IntN(4000)) * time.Millisecond) }},
	{"etcd stands still for half a minute", func(st *storm) { st.standsStill(30 * time.Second) }},
	{"kube-scheduler dies and comes back", func(st *storm) { st.dies("kube-scheduler", 1000) }},
	{"kube-controller-manager dies and comes back", func(st *storm) { st.dies("kube-controller-manager", 1000) }},
	{"the kubelets die and come back", func(st *storm) { st.dies("kwok", 2000) }},
	{"the way to the API server is cut", func(st *storm) { st.way.Cut() }},
	{"the way to the API server is silent for seconds", func(st *storm) { st.noWay(st.way.Silence, 6000) }},
	{"the way to the API server is refused for seconds", func(st *storm) { st.noWay(st.way.Refuse, 4000) }},
	{"the agent dies in the middle of what it does", (*storm).agentDies},
	{"the server dies and comes back", func(st *storm) { st.restart(fleet.Enforce) }},
	{"the server dies between a decision and its execution", (*storm).diesBetween},
	{"a pod is deleted by hand", func(st *storm) { st.anyPod(http.MethodDelete, "", nil) }},
	{"a pod is deleted by force", func(st *storm) { st.anyPod(http.MethodDelete, "?gracePeriodSeconds=0", nil) }},
	{"a pod's annotations are edited by hand", func(st *storm) {
		st.anyPod(http.MethodPatch, "", notes(translate.AnnotationPriority, "urgent", translate.AnnotationReplicas, "7", translate.AnnotationGrace, "-3h"))
	}},
	{"a pod is given another node's name by hand", func(st *storm) { st.anyPod(http.MethodPatch, "", notes(translate.AnnotationNode, st.anyNode())) }},
	{"a pod is given another target by hand", func(st *storm) {
		st.anyPod(http.MethodPatch, "", kubetest.JSON{"metadata": kubetest.JSON{"labels": kubetest.JSON{translate.LabelTarget: "ash"}}})
	}},
	{"a gate is taken away by hand", (*storm).gateIsTaken},
	{"a pod fails", func(st *storm) { st.anyPod(http.MethodPatch, "", notes("test.muster.dev/fails", "now")) }},
	{"a node fails", func(st *storm) {
		st.nodeBreaks(func(node string) { st.condition(node, "Ready", "False", time.Now().Add(-10*time.Minute)) },
			func(node string) { st.condition(node, "Ready", "True", time.Now()) })
	}},
	{"a node has an XID", func(st *storm) {
		st.nodeBreaks(func(node string) { st.conditionSaying(node, "XIDErrors", "True", "XID errors: 79", time.Now()) },
			func(node string) { st.conditionSaying(node, "XIDErrors", "False", "no XID errors", time.Now()) })
	}},
	{"a node is cordoned by hand", func(st *storm) {
		st.nodeBreaks(func(node string) { st.nodeSpec(node, kubetest.JSON{"unschedulable": true}) },
			func(node string) { st.nodeSpec(node, kubetest.JSON{"unschedulable": nil}) })
	}},
	{"a node is tainted by hand: nothing can bind to it", func(st *storm) {
		taint := []kubetest.JSON{{"key": "example.com/fan", "value": "loud", "effect": "NoSchedule"}}
		st.nodeBreaks(func(node string) { st.nodeSpec(node, kubetest.JSON{"taints": taint}) },
			func(node string) { st.nodeSpec(node, kubetest.JSON{"taints": nil}) })
	}},
	{"a node is deleted, and joins anew", (*storm).nodeIsDeleted},
	{"a disruption budget forbids every eviction", (*storm).nobodyMayBeEvicted},
	{"a pod's volume never binds", (*storm).volumeNeverBinds},
	{"a namespace is deleted with all that is in it", (*storm).namespaceIsDeleted},
	{"somebody makes objects that nobody should", (*storm).hostileObjects},
}

func notes(pairs ...string) kubetest.JSON {
	list := kubetest.JSON{}
	for i := 0; i+1 < len(pairs); i += 2 {
		list[pairs[i]] = pairs[i+1]
	}
	return kubetest.JSON{"metadata": kubetest.JSON{"annotations": list}}
}

// codeOf is the status code of an API server's answer; 0 where it gave none.
func codeOf(err error) int {
	var status *kubetest.StatusError
	if errors.As(err, &status) {
		return status.Code
	}
	return 0
}

// dies kills a part of the control plane, and starts it again after up to so many
// milliseconds.
func (st *storm) dies(part string, most int) {
	st.c.KillPart(part)
	time.Sleep(time.Duration(st.r.IntN(most)) * time.Millisecond)
	if err := st.c.StartPart(part); err != nil {
		st.t.Fatal(err)
	}
	if err := st.c.Ready(st.ctx); err != nil {
		st.t.Fatal(err)
	}
}

func (st *storm) standsStill(pause time.Duration) {
	if err := st.c.PausePart("etcd"); err != nil {
		st.t.Fatal(err)
	}
	time.Sleep(pause)
	if err := st.c.ResumePart("etcd"); err != nil {
		st.t.Fatal(err)
	}
	if err := st.c.Ready(st.ctx); err != nil {
		st.t.Fatal(err)
	}
}

func (st *storm) noWay(is func(), most int) {
	is()
	time.Sleep(time.Duration(st.r.IntN(most)) * time.Millisecond)
	st.way.Open()
}

// agentDies ends the agent alone: the server lives on.
func (st *storm) agentDies() {
	st.submit("oak", 2, false)
	time.Sleep(time.Duration(st.r.IntN(3000)) * time.Millisecond)
	st.kill()
	st.stop()
	st.join(fleet.Enforce)
}

// diesBetween submits work, and kills the server when it has decided which work starts or
// leaves and no agent has heard of it yet.
func (st *storm) diesBetween() {
	decided := make(chan struct{}, 1)
	st.decided = func(r event.Record) {
		for _, e := range r.Events {
			switch e.(type) {
			case event.ReplicasPlaced, event.ReplicasStarted, event.ReplicasEvicted:
				select {
				case decided <- struct{}{}:
				default:
				}
				st.kill()
			}
		}
	}
	st.submit([]string{"oak", "elm"}[st.r.IntN(2)], 1+st.r.IntN(2), false)
	select {
	case <-decided:
		st.log("killed after a decision")
	case <-time.After(6 * time.Second):
		st.log("nothing was decided")
	}
	st.stop()
	_ = st.engine.Close()
	st.decided = nil
	st.open()
	st.join(fleet.Enforce)
}

// anyPod does something to any pod.
func (st *storm) anyPod(method, more string, body kubetest.JSON) {
	pods := slices.DeleteFunc(st.everyPod(), func(p shown) bool { return st.work[p.workOf()].space == "" })
	if len(pods) == 0 {
		return
	}
	p := pods[st.r.IntN(len(pods))]
	st.log("it is %s", p.Metadata.Name)
	st.insist(method, "/api/v1/namespaces/"+p.Metadata.Namespace+"/pods/"+p.Metadata.Name+more, body,
		http.StatusNotFound, http.StatusConflict, http.StatusForbidden, http.StatusUnprocessableEntity)
}

// gateIsTaken lets a person start a pod behind Muster's back. It counts as one that
// is not Muster's until it is deleted.
func (st *storm) gateIsTaken() {
	for _, p := range st.everyPod() {
		if len(p.Spec.SchedulingGates) == 0 || p.Metadata.DeletionTimestamp != "" || st.work[p.workOf()].space == "" {
			continue
		}
		st.log("it is %s", p.Metadata.Name)
		path := "/api/v1/namespaces/" + p.Metadata.Namespace + "/pods/" + p.Metadata.Name
		st.insist(http.MethodPatch, path, kubetest.JSON{"spec": kubetest.JSON{"schedulingGates": nil}}, http.StatusNotFound, http.StatusForbidden, http.StatusUnprocessableEntity)
		st.undo = append(st.undo, func() { st.insist(http.MethodDelete, path, nil, http.StatusNotFound) })
		return
	}
}

func (st *storm) anyNode() string { return fmt.Sprintf("i%d-n%03d", st.r.IntN(2), st.r.IntN(4)) }

// nodeBreaks breaks a node until all is healed; two at most are broken at one time.
func (st *storm) nodeBreaks(breaks, mends func(node string)) {
	node := st.anyNode()
	if st.out[node] || len(st.out) >= 2 {
		return
	}
	st.out[node] = true
	st.log("it is %s", node)
	breaks(node)
	st.undo = append(st.undo, func() {
		mends(node)
		st.backInService(node)
	})
}

// backInService is a person who has looked at a node, as soon as its trouble is not
// seen any more.
func (st *storm) backInService(node string) {
	st.eventually(patient, node+" is well again", func() (lacks string) {
		for _, n := range st.agent.watch.nodes.all() {
			if n.Name == node && n.Broken == "" && n.Cordoned == "" && !slices.ContainsFunc(n.Signals, func(s fleet.Signal) bool { return !s.Well }) {
				return ""
			}
		}
		return "it is still marked"
	})
	st.do(core.SetNodes{Names: []string{node}, State: fleet.Healthy, Signal: "a person has looked"})
	st.do(core.ReleaseNodes{Names: []string{node}})
}

func (st *storm) nodeSpec(node string, spec kubetest.JSON) {
	st.insist(http.MethodPatch, "/api/v1/nodes/"+node, kubetest.JSON{"spec": spec})
}

// nodeIsDeleted takes a machine out of the cluster, with what ran on it.
func (st *storm) nodeIsDeleted() {
	st.nodeBreaks(func(node string) {
		st.insist(http.MethodDelete, "/api/v1/nodes/"+node, nil, http.StatusNotFound)
		for _, p := range st.everyPod() { // the garbage collector would, after a minute
			if p.Spec.NodeName == node {
				st.insist(http.MethodDelete, "/api/v1/namespaces/"+p.Metadata.Namespace+"/pods/"+p.Metadata.Name+"?gracePeriodSeconds=0", nil, http.StatusNotFound)
			}
		}
	}, func(node string) {
		island, k := node[:2], 0
		_, _ = fmt.Sscanf(node[4:], "%d", &k)
		st.insist(http.MethodPost, "/api/v1/nodes", kubetest.Node(node, "NVIDIA-H200", island, fmt.Sprintf("%s-r%d", island, 2*k/4)), http.StatusConflict)
	})
}

// nobodyMayBeEvicted protects all of a team's pods, so that evictions wait for their
// grace to end.
func (st *storm) nobodyMayBeEvicted() {
	path := "/apis/policy/v1/namespaces/elm/poddisruptionbudgets"
	st.insist(http.MethodPost, path, kubetest.JSON{
		"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": kubetest.JSON{"name": "all", "namespace": "elm"},
		"spec": kubetest.JSON{"maxUnavailable": 0, "selector": kubetest.JSON{}},
	}, http.StatusConflict)
	st.undo = append(st.undo, func() { st.insist(http.MethodDelete, path+"/all", nil, http.StatusNotFound) })
	st.submit("oak", 3, false)
}

// volumeNeverBinds lets Muster start a pod that kube-scheduler cannot bind, which its
// condition has to say.
func (st *storm) volumeNeverBinds() {
	st.made++
	name := fmt.Sprintf("elm-volume-%d", st.made)
	p := target(kubetest.Pod("elm", name, 1), "flex")
	spec := p["spec"].(kubetest.JSON)
	spec["volumes"] = []kubetest.JSON{{"name": "data", "persistentVolumeClaim": kubetest.JSON{"claimName": "never"}}}
	st.insist(http.MethodPost, "/api/v1/namespaces/elm/pods", p, http.StatusConflict)
	st.undo = append(st.undo, func() {
		st.eventually(patient, name+" is told", func() string {
			for _, p := range st.pods("elm") {
				if p.Metadata.Name != name {
					continue
				}
				for _, c := range p.Status.Conditions {
					if c.Type == translate.Condition && (c.Status == "False" || strings.Contains(c.Message, "never")) {
						return "" // it waits its turn, or was started and cannot be bound
					}
				}
				return fmt.Sprint("its conditions are ", p.Status.Conditions)
			}
			st.log("%s is gone: others needed its room, and nobody makes it anew", name)
			return ""
		})
		st.insist(http.MethodDelete, "/api/v1/namespaces/elm/pods/"+name, nil, http.StatusNotFound)
	})
}

// namespaceIsDeleted takes a team's namespace away while its work runs. It is made
// anew, empty.
func (st *storm) namespaceIsDeleted() {
	for _, name := range slices.Sorted(maps.Keys(st.work)) {
		if st.work[name].space == "ash" {
			delete(st.work, name)
		}
	}
	st.insist(http.MethodDelete, "/api/v1/namespaces/ash", nil, http.StatusNotFound)
	st.eventually(patient, "the namespace is gone", func() string {
		if err := st.c.Call(st.ctx, http.MethodGet, "/api/v1/namespaces/ash", nil, nil); codeOf(err) == http.StatusNotFound {
			return ""
		}
		return "it is there"
	})
	space := kubetest.Namespace("ash")
	space["metadata"].(kubetest.JSON)["labels"] = kubetest.JSON{"muster.dev/enrolled": "true"}
	st.insist(http.MethodPost, "/api/v1/namespaces", space, http.StatusConflict)
}

// hostileObjects makes pods that make no sense, or ask for what is not theirs. None
// of them may ever run, except for one that is only large; all are told why, unless they
// cannot be, and are gone when all is healed.
func (st *storm) hostileObjects() {
	many := target(kubetest.Pod("elm", "many-notes", 8), "flex")
	for i := range 10_000 {
		many["metadata"].(kubetest.JSON)["annotations"].(kubetest.JSON)[fmt.Sprintf("n%d", i)] = "x"
	}
	thief := target(kubetest.Pod("elm", "thief", 8), "oak")
	odd := target(kubetest.Pod("elm", "odd", 64), "flex", translate.AnnotationReplicas, "9..2", translate.AnnotationRank, "-1", translate.AnnotationMaxRuntime, "soon")
	huge := target(kubetest.Pod("elm", "huge", 8), "flex", translate.AnnotationReplicas, "100000")
	nowhere := target(kubetest.Pod("elm", "nowhere", 8), "no.such.quota", translate.AnnotationPartition, "tiger/none")
	crowd := target(kubetest.Pod("elm", "crowd", 8), "flex", translate.AnnotationReplicas, "100001")
	never := []string{"thief", "odd", "huge", "nowhere"}
	for _, p := range []kubetest.JSON{many, thief, odd, huge, nowhere, crowd} {
		p["metadata"].(kubetest.JSON)["labels"].(kubetest.JSON)["app"] = "hostile"
		st.insist(http.MethodPost, "/api/v1/namespaces/elm/pods", p, http.StatusConflict)
	}
	st.undo = append(st.undo, func() {
		st.eventually(patient, "those are told", func() string {
			told := map[string]bool{}
			for _, p := range st.pods("elm") {
				for _, c := range p.Status.Conditions {
					told[p.Metadata.Name] = told[p.Metadata.Name] || c.Type == translate.Condition && c.Message != ""
				}
				if slices.Contains(never, p.Metadata.Name) && !p.waits() {
					st.t.Errorf("seed %d: %s was started", st.seed, p.Metadata.Name)
				}
			}
			for _, name := range never {
				if !told[name] {
					return name + " is not told" + st.whyWaiting("elm")
				}
			}
			return ""
		})
		for _, p := range []string{"many-notes", "thief", "odd", "huge", "nowhere", "crowd"} {
			st.insist(http.MethodDelete, "/api/v1/namespaces/elm/pods/"+p, nil, http.StatusNotFound)
		}
	})
}
