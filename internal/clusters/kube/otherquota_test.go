package kube

import (
	"context"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// listed is a cluster whose pods are held to access lists, and gives commands for it.
func listed(t *testing.T, e *engine.Engine) (by core.Actor, do func(core.Command)) {
	by = core.Reporter
	by.ByList = true
	return by, func(c core.Command) {
		t.Helper()
		if _, err := (testEngine{e}).Do(context.Background(), core.Request{Command: c, Actor: by, Reason: "the test"}); err != nil {
			t.Fatalf("%T: %v", c, err)
		}
	}
}

// TestPodsAreCountedForNoQuotaThatIsClosedToThem shows pods that name a quota which their namespace may not
// target. They hold their nodes on flex, their workload is told so, and shown again there is nothing to say. Once the
// quota lets the namespace in they are counted for it.
func TestPodsAreCountedForNoQuotaThatIsClosedToThem(t *testing.T) {
	pods := []translate.Pod{podOn("elm", "train", "train-0", "n0", "mine"), podOn("elm", "waits", "waits-0", "", "mine")}
	e := watched(t, nil)
	by, do := listed(t, e)
	p := snapshotOf(objects{pods: pods})
	look := func() (commands []core.Command, notes string) {
		e.Read(func(s *fleet.State) {
			list, problems := observed(s, "tiger", by, p)
			commands = list
			for _, is := range problems {
				notes += is.Object + ": " + is.Text + "\n"
			}
		})
		return commands, notes
	}
	do(core.CreateQuota{Path: "mine"})
	do(core.SetGrant{Quota: "mine", Partition: "tiger/h200", GPUs: 8})
	for _, step := range []struct {
		access     fleet.Access
		want, note string
	}{
		{fleet.Access{}, fleet.Flex, "which has no access list and is closed where people sign in; it is counted on flex"},
		{fleet.Access{Namespaces: []string{"oak"}}, fleet.Flex, "whose access list does not name its namespace; it is counted on flex"},
		{fleet.Access{Namespaces: []string{"tiger/elm"}}, "mine", ""},
		{fleet.Access{}, fleet.Flex, "which has no access list"},
	} {
		do(core.SetAccess{Path: "mine", Access: step.access})
		commands, notes := look()
		for _, c := range commands {
			do(c)
		}
		if again, _ := look(); len(again) > 0 {
			t.Errorf("%+v: shown again, it says %+v", step.access, again)
		}
		for _, name := range []string{"train", "waits"} {
			if said := strings.Contains(notes, "workload/elm/"+name+": it targets quota mine, "+step.note); said != (step.note != "") {
				t.Errorf("%+v: of %s it is said: %s", step.access, name, notes)
			}
		}
		e.Read(func(s *fleet.State) {
			train, waits, in := s.Workload("elm", "train"), s.Workload("elm", "waits"), s.Partition("tiger/h200").Account("mine").Stays()
			if train.Target != step.want || waits.Target != step.want || train.GPUs() != 8 || (in > 0) != (step.want == "mine") {
				t.Errorf("%+v: %s with %d GPUs, and %s; mine has %d in use", step.access, train.Target, train.GPUs(), waits.Target, in)
			}
		})
	}
}

// TestAWorkloadIsToldWhatItIsNotCountedFor asks what a cluster says of a workload whose pods name a quota that is closed to them.
func TestAWorkloadIsToldWhatItIsNotCountedFor(t *testing.T) {
	r := NewReconciler(nil, nil, Options{Translate: translate.Defaults("tiger")})
	r.logProblems([]translate.Problem{{Object: "workload/elm/train", Text: "it is counted on flex"}, {Object: "workload/elm/other", Text: "it is not"}})
	if said := r.noted("elm", "train"); len(said) != 1 || said[0] != "it is counted on flex" {
		t.Errorf("it is told %q", said)
	}
}

// TestPodsOfAClosedQuotaAreTakenOverOnFlex lets Muster decide on a cluster whose running pods name a quota that has
// become another team's since they were seen.
func TestPodsOfAClosedQuotaAreTakenOverOnFlex(t *testing.T) {
	pods := []translate.Pod{podOn("oak", "train", "train-0", "n0", "oak")}
	e := watched(t, pods)
	_, do := listed(t, e)
	do(core.SetAccess{Path: "oak", Access: fleet.Access{Namespaces: []string{"elm"}}})
	do(core.SetMode{Cluster: "tiger", Mode: fleet.Shadow})
	do(core.SetMode{Cluster: "tiger", Mode: fleet.Enforce})
	var d division
	e.Read(func(s *fleet.State) { d = divide(s, "tiger", pods, map[string]bool{"oak": true}) })
	if len(d.mine) != 1 || len(d.others) != 0 {
		t.Fatalf("Muster's are %v, others are %v", d.mine, d.others)
	}
	do(d.mine[0])
	e.Read(func(s *fleet.State) {
		if w := s.Workload("oak", "train"); w.Target != fleet.Flex || w.State != fleet.RunningW || onlySeen(w) {
			t.Errorf("it is %s with target %s", w.State, w.Target)
		}
		if in := s.Partition("tiger/h200").Account("oak").Stays(); in != 0 {
			t.Errorf("the quota has %d GPUs in use", in)
		}
	})
}
