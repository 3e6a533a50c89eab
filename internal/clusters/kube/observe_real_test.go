package kube

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestAClusterIsSeenAsItIs watches 200 nodes, two of which are not well, the quotas
// of two namespaces, and work that others started.
func TestAClusterIsSeenAsItIs(t *testing.T) {
	w := newWorld(t, fleet.Observe)
	began := time.Now()
	w.nodes(4, 50)
	w.namespace("oak", 800)
	w.namespace("elm", 796) // 99 nodes and a half: the half stays unbacked
	w.eventually(60*time.Second, "the nodes", func() string { return w.figures(200*8, 200*8) })
	t.Logf("200 nodes are made, Ready and known after %s", time.Since(began).Round(time.Millisecond))

	w.condition("i0-n000", "Ready", "False", time.Now().Add(-10*time.Minute))
	w.condition("i1-n001", "XIDErrors", "True", time.Now())
	w.call(http.MethodPatch, "/api/v1/nodes/i2-n002", kubetest.JSON{"spec": kubetest.JSON{"unschedulable": true}}, nil)
	w.eventually(10*time.Second, "what fails", func() string { return w.figures(200*8, 197*8) })
	w.states(map[string]fleet.NodeState{"i0-n000": fleet.Quarantined, "i1-n001": fleet.Suspect, "i2-n002": fleet.Suspect})

	w.namespace("stranger", 0)
	well := func(p kubetest.JSON) { // kube-scheduler may not have heard of those that are not
		p["spec"].(kubetest.JSON)["nodeSelector"] = kubetest.JSON{"nvidia.com/gpu.clique": "i3"}
		w.pod(p)
	}
	for i := range 3 {
		well(kubetest.Pod("oak", fmt.Sprintf("job-%d", i), 8))
	}
	well(kubetest.Pod("stranger", "alone", 2))
	w.pod(kubetest.Pod("oak", "huge", 16))
	w.eventually(20*time.Second, "what runs", func() (missing string) {
		w.read(func(s *fleet.State) {
			f := view.CapacityOf(s).Fleet
			if f.Scheduled != 24 || f.FlexUsed != 2 || f.Assigned != 1596 || f.Unbacked != 20 || s.Workload("oak", "huge") == nil {
				missing = fmt.Sprintf("scheduled %d of 24, on flex %d of 2, assigned %d of 1596, unbacked %d of 20", f.Scheduled, f.FlexUsed, f.Assigned, f.Unbacked)
			}
		})
		return missing
	})
	w.read(func(s *fleet.State) {
		huge := s.Workload("oak", "huge")
		why := explain.Why(s, huge, s.Time)
		tooLarge := slices.ContainsFunc(why, func(b explain.Blocker) bool { return b.Code == reason.GangTooLarge })
		if huge.State != fleet.Pending || !tooLarge || why[0].Code != reason.ClusterNotReady {
			t.Errorf("oak/huge is %s because of %v, want pending, ClusterNotReady and GangTooLarge", huge.State, why)
		}
	})
	w.sound()
	w.unchangedByARestart()

	w.call(http.MethodDelete, "/api/v1/namespaces/oak/pods/job-0", nil, nil)
	w.call(http.MethodDelete, "/api/v1/namespaces/oak/pods/huge", nil, nil)
	w.eventually(20*time.Second, "what went", func() (missing string) {
		w.read(func(s *fleet.State) {
			if f := view.CapacityOf(s).Fleet; f.Scheduled != 16 || !s.Workload("oak", "huge").State.Ended() {
				missing = fmt.Sprintf("scheduled %d of 16, huge is %s", f.Scheduled, s.Workload("oak", "huge").State)
			}
		})
		return missing
	})
	w.sound()
}

// unchangedByARestart asks that an agent that begins anew finds nothing to say.
func (w *world) unchangedByARestart() {
	w.t.Helper()
	w.stop()
	before := uint64(0)
	w.read(func(s *fleet.State) { before = s.Seq })
	w.join(fleet.Observe)
	select {
	case <-w.agent.First():
	case <-w.ctx.Done():
		w.t.Fatal("the agent did not come to its first answer")
	}
	w.read(func(s *fleet.State) {
		if s.Seq != before {
			w.t.Errorf("an agent that began anew wrote %d records", s.Seq-before)
		}
	})
}

func (w *world) figures(installed, healthy int) (missing string) {
	w.read(func(s *fleet.State) {
		f := view.CapacityOf(s).Fleet
		if f.Installed != installed || f.Healthy != healthy {
			missing = fmt.Sprintf("installed %d of %d, healthy %d of %d", f.Installed, installed, f.Healthy, healthy)
		}
	})
	return missing
}

func (w *world) states(want map[string]fleet.NodeState) {
	w.t.Helper()
	w.read(func(s *fleet.State) {
		for name, state := range want {
			p, at := s.FindNode(name)
			if p == nil || p.Nodes[at].State != state {
				w.t.Errorf("node %s is not %s", name, state)
			}
		}
	})
}

// condition sets a condition of a node, since a moment.
func (w *world) condition(node, kind, status string, since time.Time) {
	w.t.Helper()
	w.conditionSaying(node, kind, status, "the test says so", since)
}

func (w *world) conditionSaying(node, kind, status, message string, since time.Time) {
	w.t.Helper()
	var n struct {
		Status struct{ Conditions []kubetest.JSON }
	}
	w.call(http.MethodGet, "/api/v1/nodes/"+node, nil, &n)
	is := kubetest.JSON{
		"type": kind, "status": status, "reason": "Test", "message": message,
		"lastTransitionTime": since.UTC().Format(time.RFC3339), "lastHeartbeatTime": time.Now().UTC().Format(time.RFC3339),
	}
	list := []kubetest.JSON{is}
	for _, c := range n.Status.Conditions {
		if c["type"] != kind {
			list = append(list, c)
		}
	}
	w.call(http.MethodPatch, "/api/v1/nodes/"+node+"/status", kubetest.JSON{"status": kubetest.JSON{"conditions": list}}, nil)
}
