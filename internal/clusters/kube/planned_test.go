package kube

import (
	"reflect"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// town is a state with one managed node, and the node as its cluster shows it.
type town struct {
	t    *testing.T
	s    *fleet.State
	now  time.Time
	node corev1.Node
}

func newTown(t *testing.T) *town {
	t.Helper()
	y := &town{t: t, s: fleet.NewState(), now: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)}
	y.node.Name = "n1"
	y.node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	y.do(core.AddCluster{Name: "tiger"}, core.AddPartition{Cluster: "tiger", GPU: "h200"},
		core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "a", Names: []string{"n1@tiger"}, On: []int{0}, Racks: 1}}})
	return y
}

func (y *town) do(list ...core.Command) {
	y.t.Helper()
	for _, c := range list {
		if _, no := core.Step(y.s, core.Request{Command: c, Actor: core.Reporter}, fleet.InstantOf(y.now)); no != nil {
			y.t.Fatalf("%T: %v", c, no)
		}
	}
}

// round does what follows from the node as it is shown now.
func (y *town) round() []core.Command {
	y.t.Helper()
	o := translate.Defaults("tiger")
	o.Distinct = true
	n := translate.NodeOf(&y.node, &o)
	list := announcedWork(y.s, "tiger", []translate.Node{n}, fleet.InstantOf(y.now))
	y.do(list...)
	y.do(core.Tick{})
	return list
}

func (y *town) condition(kind, message string) {
	y.node.Status.Conditions = append(y.node.Status.Conditions[:1:1], corev1.NodeCondition{
		Type: corev1.NodeConditionType(kind), Status: corev1.ConditionTrue, Message: message, LastTransitionTime: metav1.Time{Time: y.now},
	})
}

func (y *town) is() *fleet.Node { return y.s.Partition("tiger/h200").Nodes[0] }

// What Azure has scheduled is a notice once; its node is empty at its moment, and back when Azure says nothing of it any more.
func TestWhatAzureSchedulesIsANotice(t *testing.T) {
	y := newTown(t)
	at := y.now.Add(15 * time.Minute)
	y.condition("RebootScheduled", translate.EventMessage("C7061BAC", at, 9*time.Minute, "Host update"))
	if list := y.round(); len(list) != 1 {
		t.Fatalf("announced by %+v", list)
	}
	if list := y.round(); len(list) != 0 || len(y.s.Kept().Notices) != 1 {
		t.Fatalf("announced again by %+v", list)
	}
	o := y.s.Kept().Notices[0]
	if !o.Provider || o.Impact != fleet.ImpactRestart || o.Starts != fleet.InstantOf(at.Add(-beforeEvent)) || o.Lasts != 15*time.Minute || !y.is().Leaving {
		t.Errorf("notice %+v, leaving %v", o, y.is().Leaving)
	}
	y.now = at.Add(-beforeEvent)
	if y.round(); y.is().Visit == nil || y.is().Visit.State != fleet.VisitWorking || y.is().State != fleet.Maintenance {
		t.Fatalf("at its begin the node is %s, its visit %+v", y.is().State, y.is().Visit)
	}
	y.node.Status.Conditions = y.node.Status.Conditions[:1]
	y.now = at.Add(5 * time.Minute)
	if y.round(); y.is().Visit.State != fleet.VisitDone || y.is().State != fleet.Healthy {
		t.Errorf("afterwards it is %s, its visit %s", y.is().State, y.is().Visit.State)
	}
}

// An event that moves is announced anew, and the earlier moment does not hold any more.
func TestAnEventThatMovesIsAnnouncedAnew(t *testing.T) {
	y := newTown(t)
	for _, minutes := range []int{20, 40} {
		y.condition("RedeployScheduled", translate.EventMessage("C7", y.now.Add(time.Duration(minutes)*time.Minute), 0, ""))
		y.round()
	}
	list := y.s.Kept().Notices
	if len(list) != 2 || !list[0].Cancelled || list[1].Ended != 0 || list[1].Impact != fleet.ImpactReplace {
		t.Errorf("%+v and %+v", list[0], list[len(list)-1])
	}
}

// A condition that says only that something comes, and programs that restart nodes by themselves, are heard, too.
func TestOthersThatDrainAreHeard(t *testing.T) {
	for by, say := range map[string]func(*corev1.Node, *town){
		"azure-": func(_ *corev1.Node, y *town) { y.condition("VMEventScheduled", "an event") },
		"kured-": func(n *corev1.Node, _ *town) {
			n.Annotations = map[string]string{"weave.works/kured-reboot-in-progress": "2026-01-01T11:59:00Z"}
		},
		"gpu-operator-": func(n *corev1.Node, _ *town) {
			n.Labels = map[string]string{"nvidia.com/gpu-driver-upgrade-state": "drain-required"}
		},
	} {
		y := newTown(t)
		say(&y.node, y)
		y.round()
		if list := y.s.Kept().Notices; len(list) != 1 || !strings.HasPrefix(list[0].Name, by) {
			t.Errorf("%s: %+v", by, list)
		}
	}
}

// A node runs what it says; what its last visit brought stays, and is no reason for another visit.
func TestANodeRunsWhatItSays(t *testing.T) {
	y := newTown(t)
	y.node.Status.NodeInfo = corev1.NodeSystemInfo{KernelVersion: "6.8.0-1021-azure", OSImage: "Ubuntu 22.04.5 LTS", KubeletVersion: "v1.34.1", ContainerRuntimeVersion: "containerd://1.7.27"}
	y.node.Labels = map[string]string{"nvidia.com/cuda.driver.major": "580", "nvidia.com/cuda.driver.minor": "65", "nvidia.com/cuda.driver.rev": "06", "muster.dev/component.nic-firmware": "28"}
	see := func() []translate.Problem {
		o := translate.Defaults("tiger")
		o.Distinct = true
		list, problems := observedRuns(y.s, []translate.Node{translate.NodeOf(&y.node, &o)})
		y.do(list...)
		return problems
	}
	see()
	want := "container-runtime containerd:--1.7.27, gpu-driver 580.65.06, kernel 6.8.0-1021-azure, kubelet v1.34.1, nic-firmware 28, os-image Ubuntu-22.04.5-LTS"
	if got := y.is().Runs.String(); got != want {
		t.Errorf("it runs %s, want %s", got, want)
	}
	y.s.SetVisit(y.s.Partition("tiger/h200"), 0, fleet.Visit{Node: "n1@tiger", State: fleet.VisitDone, VisitWork: fleet.VisitWork{Brings: []fleet.Component{{Name: "gpu-driver", Version: "580"}, {Name: "nic-firmware", Version: "30"}}}})
	before := y.is().Runs
	if problems := see(); len(problems) != 1 || !strings.Contains(problems[0].Text, "nic-firmware 28, and its last visit brought 30") || !reflect.DeepEqual(before, y.is().Runs) {
		t.Errorf("after a visit: %v, it runs %s", problems, y.is().Runs)
	}
}
