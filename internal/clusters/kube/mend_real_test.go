package kube

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// nodeState is the state in which Muster keeps a node.
func (w *world) nodeState(name string) (state fleet.NodeState) {
	w.read(func(s *fleet.State) {
		if p, at := s.FindNode(name); p != nil {
			state = p.Nodes[at].State
		}
	})
	return state
}

// TestAnXIDTakesANodeOutAndTheGangIsMended lets a node's monitor report a GPU that fell
// off the bus. The node is quarantined, and its rank starts on another node of the island.
func TestAnXIDTakesANodeOutAndTheGangIsMended(t *testing.T) {
	w := managing(t, 2, 3, map[string]int{"oak": 16})
	w.job(job("oak", "train", 2, "oak"))
	w.eventually(2*time.Minute, "the gang", w.runs("oak", 2))
	before := w.running("oak")
	kept := w.uidOn("oak", before[1])
	w.conditionSaying(before[0], "XIDErrors", "True", "XID errors: 79", time.Now())
	w.eventually(2*time.Minute, "the mended gang", func() string {
		if s := w.nodeState(before[0]); s != fleet.Quarantined {
			return "the node is " + string(s)
		}
		on := w.running("oak")
		if len(on) != 2 || slices.Contains(on, before[0]) || on[0][:2] != before[1][:2] || on[1][:2] != before[1][:2] {
			return fmt.Sprint("it runs on ", on, w.whyWaiting("oak"))
		}
		return ""
	})
	if w.uidOn("oak", before[1]) != kept {
		t.Error("the rank that was well was started anew")
	}
	w.oneCopyPerGPU()
	w.sound()
}

// TestASilentNodeIsFencedAfterTheWait loses a node whose kubelet says nothing any more.
// Its pod is there until the node is fenced, and so long the rank starts nowhere else.
func TestASilentNodeIsFencedAfterTheWait(t *testing.T) {
	w := managing(t, 1, 3, map[string]int{"oak": 16})
	w.job(job("oak", "train", 2, "oak", leavesAfter, "1h", translate.AnnotationGrace, "1s"))
	w.eventually(2*time.Minute, "the gang", w.runs("oak", 2))
	before := w.running("oak")
	old := w.uidOn("oak", before[0])
	w.condition(before[0], "Ready", "Unknown", time.Now().Add(-10*time.Minute))
	w.eventually(2*time.Minute, "a pod that cannot leave", func() string {
		for _, p := range w.pods("oak") {
			if p.Metadata.UID == old && p.Metadata.DeletionTimestamp != "" {
				return ""
			}
		}
		return "it is not told to leave" + w.whyWaiting("oak")
	})
	if n := len(w.running("oak")); n != 1 {
		t.Errorf("%d ranks run while the old pod is there", n)
	}
	if w.fenced(before[0]) {
		t.Error("the node is fenced though nobody asked for that")
	}
	w.options = func(o *Options) { o.FenceAfter = 3 * time.Second }
	w.restart(fleet.Enforce)
	w.eventually(3*time.Minute, "the mended gang", func() string {
		on := w.running("oak")
		if w.uidOn("oak", before[0]) == old && len(on) == 2 {
			t.Error("the rank runs again before its old pod is gone")
		}
		if len(on) != 2 || slices.Contains(on, before[0]) {
			return fmt.Sprint("it runs on ", on, w.whyWaiting("oak"))
		}
		return ""
	})
	if !w.fenced(before[0]) {
		t.Error("the node was not fenced")
	}
	w.condition(before[0], "Ready", "True", time.Now())
	w.eventually(time.Minute, "no taint once the node answers", func() string {
		if w.fenced(before[0]) {
			return "it is fenced"
		}
		return ""
	})
	w.oneCopyPerGPU()
	w.sound()
}

// fenced says whether a node has Muster's out-of-service taint.
func (w *world) fenced(node string) bool {
	w.t.Helper()
	var is struct {
		Spec struct{ Taints []struct{ Key, Value string } }
	}
	w.call(http.MethodGet, "/api/v1/nodes/"+node, nil, &is)
	for _, t := range is.Spec.Taints {
		if t.Key == translate.OutOfService && t.Value == translate.FencedBy {
			return true
		}
	}
	return false
}
