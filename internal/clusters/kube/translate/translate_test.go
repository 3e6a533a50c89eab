package translate

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

func amounts(gpus string) corev1.ResourceList {
	return corev1.ResourceList{"nvidia.com/gpu": resource.MustParse(gpus)}
}

func node(labels map[string]string) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "n1", Labels: labels},
		Status: corev1.NodeStatus{
			Capacity: amounts("8"), Allocatable: amounts("8"),
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		},
	}
}

func TestModelsAreCalledAsPeopleCallThem(t *testing.T) {
	for product, want := range map[string]string{
		"NVIDIA-H200": "h200", "NVIDIA-H100-80GB-HBM3": "h100", "NVIDIA-A100-SXM4-40GB": "a100-40gb", "NVIDIA-GB200": "gb200",
		"Tesla-V100-SXM2-16GB": "v100", "AMD-Instinct-MI300X": "mi300x", "Standard_ND96isr_H200_v5": "standard_nd96isr_h200_v5",
		"p5.48xlarge": "p5.48xlarge", "": "",
	} {
		if got := modelName(product); got != want {
			t.Errorf("%s is called %q, want %q", product, got, want)
		}
	}
}

func TestPlacesOfANode(t *testing.T) {
	o := Defaults("tiger")
	for _, c := range []struct {
		labels       map[string]string
		island, rack string
	}{
		{map[string]string{"nvidia.com/gpu.clique": "uuid.1", "network.topology.nvidia.com/leaf": "l1"}, "uuid.1", "l1"},
		{map[string]string{"network.topology.nvidia.com/block": "b", "topology.kubernetes.io/zone": "z"}, "b", ""},
		{map[string]string{"topology.kubernetes.io/zone": "z", "cloud.provider.com/topology-rack": "r 1"}, "z", "r-1"},
		{nil, "all", ""},
	} {
		if n := NodeOf(node(c.labels), &o); n.Island != c.island || n.Rack != c.rack {
			t.Errorf("%v is island %q, rack %q; want %q and %q", c.labels, n.Island, n.Rack, c.island, c.rack)
		}
	}
}

func TestTheStateThatANodeShows(t *testing.T) {
	o, now := Defaults("tiger"), time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	condition := func(kind, status, message string, ago time.Duration) func(*corev1.Node) {
		return func(n *corev1.Node) {
			if kind == string(corev1.NodeReady) {
				n.Status.Conditions = nil
			}
			n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{
				Type: corev1.NodeConditionType(kind), Status: corev1.ConditionStatus(status), Message: message, LastTransitionTime: metav1.Time{Time: now.Add(-ago)},
			})
		}
	}
	taint := func(key string) func(*corev1.Node) {
		return func(n *corev1.Node) {
			n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule})
		}
	}
	offers := func(gpus string) func(*corev1.Node) {
		return func(n *corev1.Node) { n.Status.Allocatable = amounts(gpus) }
	}
	for _, c := range []struct {
		what string
		is   func(*corev1.Node)
		want fleet.NodeState
		dead int
	}{
		{"nothing", func(*corev1.Node) {}, fleet.Healthy, 0},
		{"no word of a kubelet", func(n *corev1.Node) { n.Status.Conditions = nil }, fleet.Quarantined, 0},
		{"ready", condition("Ready", "True", "", time.Hour), fleet.Healthy, 0},
		{"not ready for a moment", condition("Ready", "False", "", time.Second), fleet.Suspect, 0},
		{"not ready for long", condition("Ready", "Unknown", "", 6*time.Minute), fleet.Quarantined, 0},
		{"XID 79", condition("XIDErrors", "True", "XID errors: 79", time.Second), fleet.Quarantined, 0},
		{"a program's own XID", condition("XIDErrors", "True", "XID errors: 31", time.Second), fleet.Healthy, 0},
		{"no such trouble", condition("KernelDeadlock", "False", "", time.Hour), fleet.Healthy, 0},
		{"cordoned", func(n *corev1.Node) { n.Spec.Unschedulable = true }, fleet.Suspect, 0},
		{"unreachable", taint("node.kubernetes.io/unreachable"), fleet.Quarantined, 0},
		{"the taint of every GPU node", taint("nvidia.com/gpu"), fleet.Healthy, 0},
		{"marked by a monitor", taint("nvsentinel.nvidia.com/fault"), fleet.Quarantined, 0},
		{"two GPUs gone", offers("6"), fleet.Degraded, 2},
		{"no GPU offered", offers("0"), fleet.Quarantined, 0},
		{"more offered than there are", offers("9"), fleet.Healthy, 0},
	} {
		n := node(nil)
		c.is(n)
		is := NodeOf(n, &o)
		if state, dead, why := is.State(fleet.DefaultHealth().Rules, fleet.InstantOf(now)); state != c.want || dead != c.dead || (state != fleet.Healthy) != (why != "") {
			t.Errorf("%s: %s with %d dead because of %q, want %s with %d", c.what, state, dead, why, c.want, c.dead)
		}
	}
}

func pod(name string, labels, notes map[string]string, owner string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "oak", Labels: labels, Annotations: notes}}
	if kind, name, ok := strings.Cut(owner, "/"); ok {
		yes := true
		p.OwnerReferences = []metav1.OwnerReference{{Kind: kind, Name: name, Controller: &yes}}
	}
	p.Spec.Containers = []corev1.Container{{Resources: corev1.ResourceRequirements{Limits: amounts("8")}}}
	return p
}

// The shapes are those that each kind's controller gives its pods.
func TestPodsOfOneOwnerAreOneWorkload(t *testing.T) {
	o := Defaults("tiger")
	for _, c := range []struct {
		what           string
		labels         map[string]string
		owner          string
		name, pool     string
		elastic, alone bool
	}{
		{"plain", nil, "", "p-0", "main", false, true},
		{"plain, labelled", map[string]string{LabelWorkload: "train", LabelPool: "grader"}, "", "train", "grader", false, false},
		{"Job", nil, "Job/train", "train", "main", false, false},
		{"Deployment", map[string]string{"pod-template-hash": "5f6"}, "ReplicaSet/engines-5f6", "engines", "main", true, false},
		{"StatefulSet", nil, "StatefulSet/db", "db", "main", true, false},
		{"JobSet", map[string]string{"jobset.sigs.k8s.io/jobset-name": "js", "jobset.sigs.k8s.io/replicatedjob-name": "workers"}, "Job/js-workers-0", "js", "workers", false, false},
		{"LeaderWorkerSet", map[string]string{"leaderworkerset.sigs.k8s.io/name": "lws"}, "StatefulSet/lws-0", "lws", "main", false, false},
		{"RayCluster", map[string]string{"ray.io/cluster": "ray", "ray.io/group": "gpu-group"}, "RayCluster/ray", "ray", "gpu-group", false, false},
		{"MPIJob's worker", map[string]string{"training.kubeflow.org/job-name": "mpi", "training.kubeflow.org/job-role": "worker", "training.kubeflow.org/replica-index": "0"}, "MPIJob/mpi", "mpi", "worker", false, false},
		{"MPIJob's launcher", map[string]string{"training.kubeflow.org/job-name": "mpi", "training.kubeflow.org/job-role": "launcher"}, "Job/mpi-launcher", "mpi", "launcher", false, false},
		{"PyTorchJob", map[string]string{"training.kubeflow.org/job-name": "pt", "training.kubeflow.org/replica-type": "worker", "training.kubeflow.org/job-role": "master"}, "PyTorchJob/pt", "pt", "worker", false, false},
		{"TrainJob", map[string]string{"jobset.sigs.k8s.io/jobset-name": "tj", "jobset.sigs.k8s.io/replicatedjob-name": "node"}, "Job/tj-node-0", "tj", "node", false, false},
	} {
		var pods []Pod
		for _, name := range []string{"p-0", "p-1"} {
			p, _ := PodOf(pod(name, c.labels, nil, c.owner), &o)
			pods = append(pods, p)
		}
		work := Group(pods)
		if (len(work) == 2) != c.alone || work[0].Name != c.name || work[0].Pools[0].Pool.Name != c.pool || work[0].Pools[0].Pool.Elastic != c.elastic {
			t.Errorf("%s: %+v", c.what, work)
		}
	}
}

func TestWhatAPodSays(t *testing.T) {
	o := Defaults("tiger")
	p, ok := PodOf(pod("p", map[string]string{LabelTarget: "research.post"}, map[string]string{
		AnnotationPriority: "high", AnnotationRank: "2", AnnotationReach: "rack", AnnotationReplicas: "2..8", AnnotationMaxRuntime: "90m", AnnotationGrace: "2m",
	}, ""), &o)
	want := Wishes{Target: "research/post", Priority: fleet.High, Rank: 2, Reach: fleet.ReachRack, Min: 2, Max: 8, Times: Times{MaxRuntime: 90 * time.Minute, Grace: 2 * time.Minute}}
	if !ok || p.GPUs != 8 || p.Wishes != want || len(p.Problems) > 0 {
		t.Errorf("read %+v", p)
	}
	bad, _ := PodOf(pod("p", nil, map[string]string{
		AnnotationPriority: "urgent", AnnotationRank: "-1", AnnotationReach: "moon", AnnotationReplicas: "8..2", AnnotationMaxRuntime: "long", AnnotationGrace: "-1s",
	}, ""), &o)
	if len(bad.Problems) != 6 {
		t.Errorf("of six mistakes it says %v", bad.Problems)
	}
}

func TestGPUsOfAPodAreCountedAsTheSchedulerDoes(t *testing.T) {
	o := Defaults("tiger")
	always := corev1.ContainerRestartPolicyAlways
	with := func(gpus string) corev1.Container {
		return corev1.Container{Resources: corev1.ResourceRequirements{Requests: amounts(gpus)}}
	}
	sidecar := with("1")
	sidecar.RestartPolicy = &always
	p := &corev1.Pod{Spec: corev1.PodSpec{
		InitContainers: []corev1.Container{with("2"), sidecar, with("5")}, Containers: []corev1.Container{with("2"), with("2")},
	}}
	if got, _ := PodOf(p, &o); got.GPUs != 6 { // the last that runs before, beside the sidecar
		t.Errorf("%d GPUs, want 6", got.GPUs)
	}
}

func TestKueuesQueuesAreQuotas(t *testing.T) {
	read := func(text string) *unstructured.Unstructured {
		u := &unstructured.Unstructured{}
		if err := json.Unmarshal([]byte(text), &u.Object); err != nil {
			t.Fatal(err)
		}
		return u
	}
	k := Kueue{
		ClusterQueues: []*unstructured.Unstructured{read(`{"metadata":{"name":"oak"},"spec":{"cohortName":"research","namespaceSelector":{},"resourceGroups":[{"flavors":[
			{"name":"fast","resources":[{"name":"cpu","nominalQuota":"900"},{"name":"nvidia.com/gpu","nominalQuota":64}]}]}]}}`)},
		LocalQueues: []*unstructured.Unstructured{read(`{"metadata":{"name":"main","namespace":"team-oak"},"spec":{"clusterQueue":"oak"}}`)},
		Flavors:     []*unstructured.Unstructured{read(`{"metadata":{"name":"fast"},"spec":{"nodeLabels":{"nvidia.com/gpu.product":"NVIDIA-H200"}}}`)},
	}
	o := Defaults("tiger")
	quotas, queues := k.Quotas(&o)
	want := []Quota{{Path: "research/oak", Namespaces: []string{"team-oak"}, Grants: []Grant{{"h200", 64}}}}
	if !reflect.DeepEqual(quotas, want) || queues["team-oak/main"] != "research/oak" {
		t.Errorf("quotas %+v, queues %v", quotas, queues)
	}
}

// What comes out of any object can be kept: names are names, figures are bounded.
func checkNode(t *testing.T, n Node) {
	t.Helper()
	if n.GPU == "" {
		return
	}
	if n.GPUs < 1 || n.GPUs > mostGPUs || n.Dead < 0 || n.Dead > n.GPUs || len(n.Signals) > mostConditions {
		t.Errorf("figures of %+v", n)
	}
	for _, name := range []string{n.GPU, n.Island} {
		if name == "" || len(name) > 253 || !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == '/' || r == 0x7f }) {
			t.Errorf("%q is no name", name)
		}
	}
	for _, s := range n.Signals {
		if !utf8.ValidString(s.Message) || len(s.Message) > 3*mostText {
			t.Errorf("message of %+v", s)
		}
	}
}

func FuzzNodeOf(f *testing.F) {
	f.Add("NVIDIA-H200", "i 1", "8", "7", "XIDErrors", "True", "XID 79", "node.kubernetes.io/not-ready")
	f.Add("\xff/\x00", strings.Repeat("ü", 300), "-1", "9223372036854775807", "", "?", "\xfe", "/")
	f.Fuzz(func(t *testing.T, model, island, has, offers, kind, status, message, taint string) {
		n := node(map[string]string{"nvidia.com/gpu.product": model, "nvidia.com/gpu.clique": island})
		for text, list := range map[string]*corev1.ResourceList{has: &n.Status.Capacity, offers: &n.Status.Allocatable} {
			if q, err := resource.ParseQuantity(text); err == nil {
				*list = corev1.ResourceList{"nvidia.com/gpu": q}
			}
		}
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeConditionType(kind), Status: corev1.ConditionStatus(status), Message: message}}
		n.Spec.Taints = []corev1.Taint{{Key: taint, Effect: corev1.TaintEffectNoExecute}}
		o := Defaults("tiger")
		is := NodeOf(n, &o)
		checkNode(t, is)
		if state, dead, _ := is.State(fleet.DefaultHealth().Rules, 1); is.GPU != "" && (state == "" || dead >= is.GPUs || (dead > 0) != (state == fleet.Degraded)) {
			t.Errorf("state %s with %d dead of %d", state, dead, is.GPUs)
		}
	})
}

func FuzzPodOf(f *testing.F) {
	f.Add("8", "research.oak", "high", "2", "island", "2..8", "1h", "30s", "train", "main", "Job")
	f.Add("9e18", "\xff", "", "99999999999999999999", "", "1..", "-1ns", "9999999h", "a/b", " ", "ReplicaSet")
	f.Fuzz(func(t *testing.T, gpus, target, priority, rank, reach, size, most, grace, workload, pool, owner string) {
		p := pod("p", map[string]string{LabelTarget: target, LabelWorkload: workload, LabelPool: pool}, map[string]string{
			AnnotationPriority: priority, AnnotationRank: rank, AnnotationReach: reach, AnnotationReplicas: size, AnnotationMaxRuntime: most, AnnotationGrace: grace,
		}, owner+"/x")
		if q, err := resource.ParseQuantity(gpus); err == nil {
			p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"nvidia.com/gpu": q}}})
		}
		o := Defaults("tiger")
		is, ok := PodOf(p, &o)
		if !ok {
			return
		}
		w := is.Wishes
		if is.GPUs < 0 || is.GPUs > mostGPUs || w.Rank < 0 || w.Rank > 1000 || w.Min > w.Max || w.MaxRuntime < 0 || w.Grace < 0 || !utf8.ValidString(w.Target+w.Workload+w.Pool) {
			t.Errorf("read %+v", is)
		}
		for _, work := range Group([]Pod{is, is}) {
			for _, part := range work.Pools {
				if x := part.Pool; x.Min < 1 || x.Max < x.Min || !x.Elastic && x.Min != x.Max || x.Name == "" || x.Reach == "" {
					t.Errorf("pool %+v", x)
				}
			}
		}
	})
}

// The order in which objects come decides nothing.
func TestGroupsDoNotDependOnTheOrderOfPods(t *testing.T) {
	o := Defaults("tiger")
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		var pods []Pod
		for i := range 1 + r.IntN(12) {
			p := pod("p"+string(rune('a'+i)), map[string]string{LabelWorkload: []string{"", "x", "y"}[r.IntN(3)], LabelTarget: []string{"a", "b"}[r.IntN(2)]}, nil, []string{"", "Job/j", "ReplicaSet/r"}[r.IntN(3)])
			p.CreationTimestamp = metav1.Unix(int64(1_700_000_000+r.IntN(3)), 0)
			p.Spec.Containers[0].Resources.Limits = amounts([]string{"1", "8"}[r.IntN(2)])
			is, _ := PodOf(p, &o)
			pods = append(pods, is)
		}
		want := Group(pods)
		r.Shuffle(len(pods), func(i, j int) { pods[i], pods[j] = pods[j], pods[i] })
		if got := Group(pods); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: another order, another grouping:\n%+v\n%+v", seed, got, want)
		}
	}
}
