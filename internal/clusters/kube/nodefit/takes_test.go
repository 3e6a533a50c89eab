package nodefit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// node offers so many cores and pods, and has these taints.
func node(cores, pods string, taints ...string) *Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: map[string]string{"disk": "fast"}}}
	n.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(cores), corev1.ResourcePods: resource.MustParse(pods), "nvidia.com/gpu": resource.MustParse("8"),
	}
	for _, key := range taints {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule})
	}
	return NodeOf(n)
}

// podOf requests so many cores and one GPU, and is then changed.
func podOf(cores string, change ...func(*corev1.Pod)) *Pod {
	p := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(cores), "nvidia.com/gpu": resource.MustParse("1"),
	}}}}}}
	for _, c := range change {
		c(p)
	}
	return PodOf(p)
}

func hostPort80(p *corev1.Pod) {
	p.Spec.Containers[0].Ports = []corev1.ContainerPort{{HostPort: 80}}
}

func fastDisk(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"disk": "fast"} }

var gpus = []string{"nvidia.com/gpu"}

func TestHowManyPodsANodeTakes(t *testing.T) {
	busy := &Load{}
	busy.Add(podOf("20", hostPort80))
	for _, c := range []struct {
		what  string
		pod   *Pod
		node  *Node
		load  *Load
		takes int
		why   string
	}{
		{"processors", podOf("30"), node("96", "100"), &Load{}, 3, "insufficient cpu: it requests 30, 96 of 96 is free"},
		{"what stands there", podOf("30"), node("96", "100"), busy, 2, "76 of 96 is free"},
		{"the number of pods", podOf("1"), node("96", "2"), busy, 1, "no more than 2 pods"},
		{"GPUs are counted elsewhere", podOf("1"), node("96", "100"), &Load{}, 96, "cpu"},
		{"a port of its own", podOf("1", hostPort80), node("96", "100"), &Load{}, 1, "can be taken once"},
		{"a port that is taken", podOf("1", hostPort80), node("96", "100"), busy, 0, "is taken"},
		{"a taint", podOf("1"), node("96", "100", "team/other"), &Load{}, 0, "team/other"},
		{"a taint that passes", podOf("1"), node("96", "100", corev1.TaintNodeNotReady, "muster.dev/state"), &Load{}, 96, ""},
		{"a selector", podOf("1", fastDisk), node("96", "100"), &Load{}, 96, ""},
		{"no room at all", podOf("30"), node("10", "100"), busy, 0, "0 of 10 is free"},
	} {
		takes, short := Takes(c.pod, c.node, c.load, gpus)
		if takes != c.takes || !strings.Contains(short.Why, c.why) {
			t.Errorf("%s: it takes %d (%s), want %d (%s)", c.what, takes, short.Why, c.takes, c.why)
		}
	}
}

// Who has what is short is told by how much of it they have.
func TestWhoHasWhatIsShort(t *testing.T) {
	busy := &Load{}
	small, large := podOf("1", hostPort80), podOf("90")
	busy.Add(small)
	busy.Add(large)
	for _, c := range []struct {
		what         string
		pod          *Pod
		node         *Node
		small, large int64
	}{
		{"processors", podOf("30"), node("96", "100"), 1000, 90000},
		{"the number of pods", podOf("1"), node("96", "2"), 1, 1},
		{"a port", podOf("1", hostPort80), node("96", "100"), 1, 0},
		{"a taint", podOf("30"), node("96", "100", "team/other"), 0, 0},
	} {
		_, short := Takes(c.pod, c.node, busy, gpus)
		if got := [2]int64{short.HeldBy(small), short.HeldBy(large)}; got != [2]int64{c.small, c.large} {
			t.Errorf("%s: the two pods have %d of it, want %d and %d", c.what, got, c.small, c.large)
		}
	}
}

// As many pods as a node is said to take fit there one after the other, and not one more.
func TestANodeTakesWhatItIsSaidToTake(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		n, load := node(fmt.Sprint(r.IntN(40)), fmt.Sprint(1+r.IntN(12))), &Load{}
		for range r.IntN(3) {
			load.Add(podOf(fmt.Sprint(r.IntN(10))))
		}
		p := podOf(fmt.Sprint(1+r.IntN(9)), func(p *corev1.Pod) {
			if r.IntN(5) == 0 {
				hostPort80(p)
			}
		})
		takes, _ := Takes(p, n, load, gpus)
		fit := 0
		for ; fit <= takes && !lacks(Misfits(p, n, load, nil)); fit++ {
			load.Add(p)
		}
		if fit != takes {
			t.Fatalf("seed %d: it is said to take %d, and %d fit", seed, takes, fit)
		}
	}
}

// lacks says whether something other than GPUs is missing.
func lacks(list []Misfit) bool {
	for _, m := range list {
		if m.Kind != Insufficient || m.What != "nvidia.com/gpu" {
			return true
		}
	}
	return false
}

func TestFootprintsTellApartWhatFitsElsewhere(t *testing.T) {
	tolerates := func(key string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{Key: key, Operator: "Exists"})
		}
	}
	plain := podOf("64").Footprint(gpus)
	if plain != "cpu 64" {
		t.Errorf("the footprint is %q", plain)
	}
	if same := podOf("64", tolerates(corev1.TaintNodeNotReady)).Footprint(gpus); same != plain {
		t.Errorf("a toleration that every pod is given makes it %q", same)
	}
	seen := map[string]bool{plain: true}
	for _, p := range []*Pod{podOf("63"), podOf("64", hostPort80), podOf("64", fastDisk), podOf("64", tolerates("team/other"))} {
		if name := p.Footprint(gpus); seen[name] {
			t.Errorf("%q is the footprint of two that differ", name)
		} else {
			seen[name] = true
		}
	}
}
