package kube

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// shownNode is a node as the API server shows it.
type shownNode struct {
	Metadata struct{ Annotations, Labels map[string]string }
	Spec     struct {
		Unschedulable bool
		Taints        []struct{ Key, Effect string }
	}
	Status struct {
		Conditions []struct{ Type, Status, Message string }
	}
}

func (w *world) node(name string) (n shownNode) {
	w.t.Helper()
	w.call(http.MethodGet, "/api/v1/nodes/"+name, nil, &n)
	return n
}

// shows asks that a node carries exactly these taints, and these conditions besides Kubernetes' own.
func (w *world) shows(name string, taints, conditions []string) func() string {
	own := []string{"Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"}
	return func() string {
		n := w.node(name)
		var t, c []string
		for _, x := range n.Spec.Taints {
			t = append(t, x.Key)
		}
		for _, x := range n.Status.Conditions {
			if !slices.Contains(own, x.Type) && x.Status == "True" {
				c = append(c, x.Type)
			}
		}
		slices.Sort(t)
		slices.Sort(c)
		if !slices.Equal(t, taints) || !slices.Equal(c, conditions) {
			return fmt.Sprintf("%s has taints %v and conditions %v, want %v and %v", name, t, c, taints, conditions)
		}
		return ""
	}
}

func (w *world) set(node string, state fleet.NodeState) {
	w.t.Helper()
	w.do(core.SetNodes{Names: []string{node}, State: state, Signal: "the test"})
}

// TestNodesShowTheirStates lets a person and the cluster put nodes into states, and
// asks that the nodes show them, that marks of others stay, and that Muster does not
// take its own mark for a sign of trouble.
func TestNodesShowTheirStates(t *testing.T) {
	w := managing(t, 1, 3, map[string]int{"oak": 8})
	const one, two = "i0-n000", "i0-n001"
	const theirs = "team.example/mine"
	w.call(http.MethodPatch, "/api/v1/nodes/"+one, kubetest.JSON{"spec": kubetest.JSON{"unschedulable": true, "taints": []kubetest.JSON{{"key": theirs, "effect": "PreferNoSchedule"}}}}, nil)
	for _, c := range []struct {
		state           fleet.NodeState
		taint, condtion string
	}{
		{fleet.Maintenance, "muster.dev/maintenance", "MaintenanceInProgress"},
		{fleet.Quarantined, "muster.dev/quarantined", "muster.dev/Quarantined"},
		{fleet.Validating, "muster.dev/validation", "muster.dev/Validation"},
		{fleet.Probation, "muster.dev/probation", "muster.dev/Probation"},
	} {
		w.set(two, c.state)
		w.eventually(time.Minute, "the mark", w.shows(two, []string{c.taint}, []string{c.condtion}))
	}
	w.set(two, fleet.Healthy)
	w.eventually(time.Minute, "no mark", w.shows(two, nil, nil))

	// The cluster quarantines a node by a condition; when that is over, the way back
	// goes on, and no mark of Muster's keeps the node out.
	w.set(one, fleet.Quarantined)
	marked := []string{"muster.dev/quarantined", "node.kubernetes.io/unschedulable", theirs}
	w.eventually(time.Minute, "the mark beside others'", w.shows(one, marked, []string{"muster.dev/Quarantined"}))
	w.set(one, fleet.Healthy)
	w.eventually(time.Minute, "others' marks alone", w.shows(one, marked[1:], nil))
	if n := w.node(one); !n.Spec.Unschedulable {
		t.Error("the cordon is gone")
	}
	w.eventually(time.Minute, "the cordon heeded, and nothing else read into the node", func() (missing string) {
		w.read(func(s *fleet.State) {
			p, at := s.FindNode(one)
			if n := p.Nodes[at]; n.State != fleet.Suspect {
				missing = fmt.Sprintf("it is %s: %s", n.State, n.Signal)
			}
			p, at = s.FindNode(two)
			if n := p.Nodes[at]; n.State != fleet.Healthy {
				missing = fmt.Sprintf("%s is %s: %s", two, n.State, n.Signal)
			}
		})
		return missing
	})
	w.sound()
}

// TestANodeUnderMaintenanceIsItsOwners asks that a person with every right on nodes
// and pods does not delete, unmark or use a node under maintenance, and its owner does.
func TestANodeUnderMaintenanceIsItsOwners(t *testing.T) {
	w := managing(t, 1, 2, map[string]int{"oak": 8})
	w.manifest("../../../deploy/kubernetes/marks.yaml")
	const name = "i0-n001"
	for role, rules := range map[string][]kubetest.JSON{"test-keeper": {{"apiGroups": []string{""}, "resources": []string{"*"}, "verbs": []string{"*"}}}} {
		w.grant(role, "stranger", rules)
		w.grant(role, "keeper", rules)
	}
	w.call(http.MethodPatch, "/api/v1/nodes/"+name, kubetest.JSON{"metadata": kubetest.JSON{"annotations": kubetest.JSON{"muster.dev/maintenance-owner": "keeper"}}}, nil)
	w.set(name, fleet.Maintenance)
	w.eventually(time.Minute, "the mark", w.shows(name, []string{"muster.dev/maintenance"}, []string{"MaintenanceInProgress"}))

	pod := kubetest.Pod("oak", "past-the-scheduler", 1)
	pod["spec"].(kubetest.JSON)["nodeName"] = name
	const node, pods = "/api/v1/nodes/" + name, "/api/v1/namespaces/oak/pods?dryRun=All"
	unmark := kubetest.JSON{"spec": kubetest.JSON{"taints": nil}}
	w.eventually(time.Minute, "the policy in force", func() string {
		if code, _ := w.as("stranger", http.MethodDelete, node+"?dryRun=All", nil); code < 400 {
			return "a stranger may delete the node"
		}
		if code, _ := w.as("stranger", http.MethodPost, pods, pod); code < 400 {
			return "a stranger may start a pod there"
		}
		return ""
	})
	for what, call := range map[string]func(user string) (int, string){
		"delete it":          func(u string) (int, string) { return w.as(u, http.MethodDelete, node+"?dryRun=All", nil) },
		"take the mark away": func(u string) (int, string) { return w.as(u, http.MethodPatch, node+"?dryRun=All", unmark) },
		"start a pod there":  func(u string) (int, string) { return w.as(u, http.MethodPost, pods, pod) },
	} {
		if code, text := call("stranger"); code != http.StatusUnprocessableEntity && code != http.StatusForbidden || !strings.Contains(text, "under maintenance") {
			t.Errorf("a stranger wants to %s: %d %s", what, code, text)
		}
		if code, text := call("keeper"); code >= 300 {
			t.Errorf("the owner wants to %s: %d %s", what, code, text)
		}
	}
	other := kubetest.Pod("oak", "elsewhere", 1)
	other["spec"].(kubetest.JSON)["nodeName"] = "i0-n000"
	if code, text := w.as("stranger", http.MethodPost, pods, other); code >= 300 {
		t.Errorf("on another node a stranger is refused: %d %s", code, text)
	}
	w.set(name, fleet.Healthy)
	w.eventually(time.Minute, "Muster's own release", w.shows(name, nil, nil))
}

// grant gives a user a role.
func (w *world) grant(role, user string, rules []kubetest.JSON) {
	w.t.Helper()
	const api = "/apis/rbac.authorization.k8s.io/v1/"
	_ = w.c.Call(w.ctx, http.MethodPost, api+"clusterroles", kubetest.JSON{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": kubetest.JSON{"name": role}, "rules": rules}, nil)
	_ = w.c.Call(w.ctx, http.MethodPost, api+"clusterrolebindings", kubetest.JSON{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": kubetest.JSON{"name": role + "-" + user},
		"roleRef":  kubetest.JSON{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
		"subjects": []kubetest.JSON{{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}},
	}, nil)
}

// as asks the API server as the administrator in the place of a user.
func (w *world) as(user, method, path string, send kubetest.JSON) (int, string) {
	w.t.Helper()
	var data []byte
	if send != nil { // options in a body would count instead of those in the path
		var err error
		if data, err = json.Marshal(send); err != nil {
			w.t.Fatal(err)
		}
	}
	r, err := http.NewRequestWithContext(w.ctx, method, w.c.URL+path, bytes.NewReader(data))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+w.c.Token)
	r.Header.Set("Impersonate-User", user)
	r.Header.Set("Content-Type", map[bool]string{true: "application/merge-patch+json", false: "application/json"}[method == http.MethodPatch])
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} //nolint:gosec // loopback, its own certificate
	defer client.CloseIdleConnections()
	res, err := client.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = res.Body.Close() }()
	var text bytes.Buffer
	_, _ = text.ReadFrom(res.Body)
	return res.StatusCode, text.String()
}
