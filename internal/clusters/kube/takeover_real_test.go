package kube

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestFromWatchingToDeciding watches a cluster that is in use, and then decides there,
// with the same server and data: a gang and a pod on flex that name targets, a foreign pod,
// and a pod that waits for Muster. What names a target is Muster's where it stands, the
// foreign pod goes on, and work that waits starts where flex gives way. A server that dies changes
// nothing, and neither does going back to watching.
func TestFromWatchingToDeciding(t *testing.T) {
	w := newWorld(t, fleet.Observe)
	w.stop()
	w.options = func(o *Options) { o.Quotas = false } // people say what they are
	w.join(fleet.Observe)
	w.nodes(1, 4)
	w.namespace("oak", 0)
	w.namespace("stranger", 0)
	w.eventually(time.Minute, "the nodes", func() string { return w.figures(32, 32) })
	w.do(core.CreateQuota{Path: "oak", Access: fleet.Access{Namespaces: []string{"tiger/oak"}}})
	w.do(core.SetGrant{Quota: "oak", Partition: "tiger/h200", GPUs: 24})
	for i := range 2 {
		p := target(kubetest.Pod("oak", fmt.Sprintf("train-%d", i), 8), "oak")
		p["metadata"].(kubetest.JSON)["labels"].(kubetest.JSON)[translate.LabelWorkload] = "train"
		w.pod(p)
	}
	w.pod(target(kubetest.Pod("oak", "play", 8), "flex"))
	w.pod(kubetest.Pod("stranger", "other", 8))
	seen := map[[2]string]fleet.WorkloadState{{"oak", "train"}: fleet.RunningW, {"oak", "play"}: fleet.RunningW, {"stranger", "other"}: fleet.RunningW}
	w.eventually(time.Minute, "what runs is seen", w.are(seen))

	// The operator makes ready: rights, admission, enrolment. Nothing is decided by that.
	w.entitled(fleet.Enforce)
	w.admission()
	w.enrolled("oak")
	w.gateWorks()
	w.pod(target(kubetest.Pod("oak", "late", 8), "oak"))
	seen[[2]string{"oak", "late"}] = fleet.Pending
	w.eventually(time.Minute, "who waits is seen", w.are(seen))
	w.do(core.SetMode{Cluster: "tiger", Mode: fleet.Shadow})
	w.read(func(s *fleet.State) {
		if would := core.ShadowOf(s, "tiger", s.Time); len(would) == 0 {
			t.Error("in mode shadow nothing would be decided, though flex would give way")
		}
	})
	w.eventually(time.Minute, "in mode shadow nothing is done", w.are(seen))
	before := w.places("oak", "stranger")

	w.do(core.SetMode{Cluster: "tiger", Mode: fleet.Enforce})
	w.eventually(time.Minute, "who waited is started where flex gave way", func() (missing string) {
		if w.places("oak")["oak/late"] == "" || w.state("oak", "late") != fleet.RunningW {
			return "late waits" + w.whyWaiting("oak")
		}
		return ""
	})
	after := w.places("oak", "stranger")
	for _, name := range []string{"oak/train-0", "oak/train-1", "stranger/other"} {
		if after[name] != before[name] {
			t.Errorf("%s was %s and is %q", name, before[name], after[name])
		}
	}
	if after["oak/play"] != "" {
		t.Error("flex did not give way")
	}
	w.eventually(time.Minute, "what goes on without Muster is counted as that", func() (missing string) {
		w.read(func(s *fleet.State) {
			x, train := s.Workload("stranger", "other"), s.Workload("oak", "train")
			if !x.State.Ended() || train.State != fleet.RunningW || onlySeen(train) || s.Cluster("tiger").Stale {
				missing = fmt.Sprintf("other is %s, train is %s with %v", x.State, train.State, train.Groups)
			}
		})
		if f := w.agent.Foreign(); f.GPUs != 8 {
			missing += fmt.Sprintf("; %d GPUs are others'", f.GPUs)
		}
		return missing
	})
	w.sound()

	w.restart(fleet.Enforce)
	w.eventually(time.Minute, "the new agent's first answer", func() string {
		select {
		case <-w.agent.First():
			return ""
		default:
			return "it is not there"
		}
	})
	stands := map[[2]string]fleet.WorkloadState{{"oak", "train"}: fleet.RunningW, {"oak", "late"}: fleet.RunningW}
	w.eventually(time.Minute, "a server that died finds what stood", w.are(stands))
	w.same(after, "a server that died")

	w.do(core.SetMode{Cluster: "tiger", Mode: fleet.Observe})
	seen = map[[2]string]fleet.WorkloadState{{"oak", "train"}: fleet.RunningW, {"oak", "late"}: fleet.RunningW, {"stranger", "other"}: fleet.RunningW}
	w.eventually(time.Minute, "watched again, all that runs is seen", w.are(seen))
	w.same(after, "going back")
	w.sound()
}

// are says which workloads are not in the states that they should be in.
func (w *world) are(want map[[2]string]fleet.WorkloadState) func() string {
	return func() (missing string) {
		for is, state := range want {
			if now := w.state(is[0], is[1]); now != state {
				missing += fmt.Sprintf("%s/%s is %q, not %q; ", is[0], is[1], now, state)
			}
		}
		return missing
	}
}

// places says where the pods of some namespaces are that stay, and which they are.
func (w *world) places(namespaces ...string) map[string]string {
	at := map[string]string{}
	for _, ns := range namespaces {
		for _, p := range w.pods(ns) {
			if p.Spec.NodeName != "" && p.Metadata.DeletionTimestamp == "" {
				at[ns+"/"+p.Metadata.Name] = p.Metadata.UID + " on " + p.Spec.NodeName
			}
		}
	}
	return at
}

func (w *world) same(before map[string]string, why string) {
	w.t.Helper()
	if now := w.places("oak", "stranger"); !maps.Equal(now, before) {
		w.t.Errorf("%s changed what runs\nfrom %v\nto   %v", why, before, now)
	}
}
