package marks

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

var now = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func node() *corev1.Node {
	amounts := corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8")}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "n1", ResourceVersion: "7"},
		Status: corev1.NodeStatus{Capacity: amounts, Allocatable: amounts, Conditions: []corev1.NodeCondition{{
			Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Time{Time: now.Add(-time.Hour)},
		}}},
	}
}

// marked is a node as the API server has it after it was given a mark.
func marked(t *testing.T, n *corev1.Node, mark string) *corev1.Node {
	t.Helper()
	n = patched(t, n, Conditions(n, mark, "the test", now))
	return patched(t, n, Taints(n, mark))
}

// staged is a node as the API server has it after it was given a stage of a maintenance.
func staged(t *testing.T, n *corev1.Node, stage string) *corev1.Node {
	t.Helper()
	return patched(t, n, StageCondition(n, stage, "the test", now))
}

// patched applies a patch as the API server does: conditions are merged by type,
// annotations and labels by key, and taints are replaced.
func patched(t *testing.T, n *corev1.Node, patch JSON) *corev1.Node {
	t.Helper()
	data, err := json.Marshal(patch)
	if err != nil {
		t.Fatal(err)
	}
	var change struct {
		Metadata struct {
			ResourceVersion     string
			Annotations, Labels map[string]*string
		}
		Spec   *struct{ Taints []corev1.Taint }
		Status struct {
			Conditions []struct {
				corev1.NodeCondition
				Patch string `json:"$patch"`
			}
		}
	}
	if err := json.Unmarshal(data, &change); err != nil {
		t.Fatal(err)
	}
	if v := change.Metadata.ResourceVersion; (v != "") != (change.Spec != nil) || v != "" && v != n.ResourceVersion {
		t.Fatalf("the patch is for version %q", v)
	}
	n = n.DeepCopy()
	n.Annotations, n.Labels = merged(n.Annotations, change.Metadata.Annotations), merged(n.Labels, change.Metadata.Labels)
	if change.Spec != nil {
		n.Spec.Taints = change.Spec.Taints
	}
	for _, c := range change.Status.Conditions {
		n.Status.Conditions = slices.DeleteFunc(n.Status.Conditions, func(is corev1.NodeCondition) bool { return is.Type == c.Type })
		if c.Patch != "delete" {
			n.Status.Conditions = append(n.Status.Conditions, c.NodeCondition)
		}
	}
	return n
}

func merged(is map[string]string, change map[string]*string) map[string]string {
	out := map[string]string{}
	for k, v := range is {
		out[k] = v
	}
	for k, v := range change {
		if delete(out, k); v != nil {
			out[k] = *v
		}
	}
	return out
}

// TestOurOwnMarksAreNoSignOfANodesHealth asks that a node reads the same whatever
// mark Muster has set on it, whatever else is wrong with it.
func TestOurOwnMarksAreNoSignOfANodesHealth(t *testing.T) {
	o := translate.Defaults("tiger")
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := troubled(r)
		bare := translate.NodeOf(n, &o)
		for range 1 + r.IntN(4) {
			mark := Of(fleet.NodeStates()[r.IntN(len(fleet.NodeStates()))])
			n = marked(t, n, mark)
			stage := []string{"", translate.StagePlanned, translate.StageDraining, translate.StageDrained}[r.IntN(4)]
			n = staged(t, n, stage)
			is := translate.NodeOf(n, &o)
			if is.Stage != stage {
				t.Fatalf("seed %d: at stage %q, it shows %q", seed, stage, is.Stage)
			}
			if is.Mark != mark {
				t.Fatalf("seed %d: marked %q, it shows %q", seed, mark, is.Mark)
			}
			is.Mark, is.Stage, is.Fit = "", "", bare.Fit // a mark keeps pods away: that is read from the taint itself
			if !reflect.DeepEqual(is, bare) {
				t.Fatalf("seed %d: marked %q it reads\n%+v\ninstead of\n%+v", seed, mark, is, bare)
			}
		}
		if n = staged(t, marked(t, n, ""), ""); !slices.Equal(keysOf(n), keysOf(troubled(rand.New(rand.NewPCG(seed, 1))))) || len(n.Annotations)+len(n.Labels) > len(troubled(rand.New(rand.NewPCG(seed, 1))).Annotations) {
			t.Fatalf("seed %d: without a mark the node is left with %v, %v, %v", seed, keysOf(n), n.Annotations, n.Labels)
		}
	}
}

// troubled is a node with marks of others.
func troubled(r *rand.Rand) *corev1.Node {
	n := node()
	for _, key := range []string{"muster.dev/quarantined", "muster.dev/maintenance", "node.kubernetes.io/unreachable", "team.example/mine"} {
		if r.IntN(4) == 0 {
			n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule})
		}
	}
	n.Spec.Unschedulable = r.IntN(4) == 0
	if r.IntN(4) == 0 {
		n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: "XIDErrors", Status: corev1.ConditionTrue, Message: "XID 79"})
	}
	if r.IntN(4) == 0 {
		n.Annotations = map[string]string{keepers[0]: "true"}
	}
	return n
}

func keysOf(n *corev1.Node) (keys []string) {
	for _, t := range n.Spec.Taints {
		keys = append(keys, t.Key)
	}
	for _, c := range n.Status.Conditions {
		keys = append(keys, string(c.Type))
	}
	return keys
}

// TestWhatSomebodyTookAwayIsNotWhole asks that a mark of which part is gone is
// neither the mark nor none, so that it is set or taken away whole.
func TestWhatSomebodyTookAwayIsNotWhole(t *testing.T) {
	o := translate.Defaults("tiger")
	n := marked(t, node(), translate.MarkMaintenance)
	if n.Labels[translate.LabelMaintenance] != "true" || n.Annotations[keepers[0]] != "true" {
		t.Errorf("under maintenance it has labels %v and annotations %v", n.Labels, n.Annotations)
	}
	n.Spec.Taints = nil
	if is := translate.NodeOf(n, &o); is.Mark == "" || is.Mark == translate.MarkMaintenance {
		t.Errorf("without its taint it shows %q", is.Mark)
	}
	if n = marked(t, n, translate.MarkMaintenance); len(n.Spec.Taints) != 1 {
		t.Errorf("set again, its taints are %v", n.Spec.Taints)
	}
}

// TestACrashBetweenTwoWritesLeavesNothing asks that whatever ends between two writes of marks and stages, the node shows what is wanted next
// and nothing else, and reads like one that Muster never touched.
func TestACrashBetweenTwoWritesLeavesNothing(t *testing.T) {
	o := translate.Defaults("tiger")
	for _, was := range fleet.NodeStates() {
		for _, crash := range fleet.NodeStates() {
			half := marked(t, node(), Of(was))
			half = patched(t, half, Conditions(half, Of(crash), "the test", now)) // and then its process dies
			if is := translate.NodeOf(half, &o); Of(was) != Of(crash) && (is.Mark == "" || is.Mark == Of(was)) {
				t.Errorf("half from %q to %q it shows %q", Of(was), Of(crash), is.Mark)
			} else if is.Cordoned != "" {
				t.Errorf("half from %q to %q it is taken for one that others take out: %s", Of(was), Of(crash), is.Cordoned)
			}
			if again := marked(t, half, ""); len(again.Spec.Taints)+len(again.Annotations)+len(again.Labels) != 0 || len(again.Status.Conditions) != 1 {
				t.Errorf("half from %q to %q, and then without a mark, it is left with %v and %v", Of(was), Of(crash), keysOf(again), again.Annotations)
			}
		}
	}
}

// TestAStageIsOneWrite asks that a node's stage is Muster's own from the moment at which it shows, and that one of another
// program is heeded and stays.
func TestAStageIsOneWrite(t *testing.T) {
	o := translate.Defaults("tiger")
	n := staged(t, node(), translate.StageDraining)
	if is := translate.NodeOf(n, &o); is.Stage != translate.StageDraining || is.Cordoned != "" {
		t.Errorf("it shows %q and is cordoned by %q", is.Stage, is.Cordoned)
	}
	theirs := corev1.NodeCondition{Type: translate.StageDrained, Status: corev1.ConditionTrue, Reason: "Evacuated"}
	n.Status.Conditions = append(n.Status.Conditions, theirs)
	n = staged(t, n, "")
	if is := translate.NodeOf(n, &o); is.Stage != "" || is.Cordoned != translate.StageDrained || len(n.Status.Conditions) != 2 {
		t.Errorf("it shows %q, is cordoned by %q and has %v", is.Stage, is.Cordoned, keysOf(n))
	}
}

// TestOthersWordOfAMaintenanceIsHeard asks that a node which another program takes out
// of use takes nothing new.
func TestOthersWordOfAMaintenanceIsHeard(t *testing.T) {
	o := translate.Defaults("tiger")
	n := node()
	n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: "MaintenanceInProgress", Status: corev1.ConditionTrue})
	is := translate.NodeOf(n, &o)
	if state, _, why := is.State(fleet.DefaultHealth().Rules, fleet.InstantOf(now)); state != fleet.Suspect || why == "" {
		t.Errorf("it is %s because of %q, want suspect", state, why)
	}
}
