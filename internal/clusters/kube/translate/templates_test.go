package translate

import (
	"fmt"
	"testing"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// object reads a manifest, with numbers as the API server's client gives them.
func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	var of map[string]any
	if err := yaml.Unmarshal([]byte(text), &of); err != nil {
		t.Fatal(err)
	}
	return &unstructured.Unstructured{Object: whole64(of).(map[string]any)}
}

func whole64(v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case map[string]any:
		for k, x := range v {
			v[k] = whole64(x)
		}
	case []any:
		for i, x := range v {
			v[i] = whole64(x)
		}
	}
	return v
}

const lwsText = `
metadata: {name: serve, namespace: oak, uid: u, annotations: {%s}}
spec:
  startupPolicy: %s
  leaderWorkerTemplate:
    size: 3
    %s
    workerTemplate:
      metadata: {labels: {muster.dev/target: oak}}
      spec: {containers: [{name: main, resources: {requests: {nvidia.com/gpu: 8}}}]}
`

// Of a group of a LeaderWorkerSet those pods count that ask for GPUs, and where the
// workers come after their leader all of them are known before.
func TestAGroupIsKnownBeforeItsWorkersAreMade(t *testing.T) {
	o := Defaults("tiger")
	leader := Pod{Namespace: "oak", Name: "serve-1", Created: 7, Owner: Owner{Kind: "LeaderWorkerSet", Name: "serve-1", Object: "serve", UID: "sts"}}
	cpu := "leaderTemplate: {spec: {containers: [{name: main}]}}"
	small := "leaderTemplate: {metadata: {labels: {muster.dev/target: oak}}, spec: {containers: [{name: main, resources: {requests: {nvidia.com/gpu: 4}}}]}}"
	for what, c := range map[string]struct {
		notes, startup, leader string
		size                   int
		pods                   string
	}{
		"all at one time":           {"", "LeaderCreated", "", 3, "0:8! 1:8! 2:8! "},
		"a leader without GPUs":     {"", "LeaderCreated", cpu, 2, "1:8! 2:8! "},
		"the leader first":          {"", "LeaderReady", "", 3, "0:8 1:8 2:8 "},
		"a small leader first":      {"", "LeaderReady", small, 3, "0:4 1:8 2:8 "},
		"a CPU leader first":        {"", "LeaderReady", cpu, 2, "1:8 2:8 "},
		"workers beside the leader": {"leaderworkerset.sigs.k8s.io/exclusive-topology: rack", "LeaderCreated", "", 3, "0:8 1:8 2:8 "},
	} {
		crew := CrewOf(object(t, fmt.Sprintf(lwsText, c.notes, c.startup, c.leader)), &leader, &o)
		is := ""
		for _, p := range crew.Pods {
			is += fmt.Sprintf("%d:%d%s ", p.Index, p.GPUs, map[bool]string{true: "!"}[p.Unmade]) // !: it must be made before any starts
			if !p.Virtual || !p.Gated || p.Wishes.Target != "oak" || p.Workload() != leader.Workload() || p.Owner.Size != c.size || p.Created != 7 {
				t.Errorf("%s: a pod is pictured as %+v", what, p)
			}
		}
		if crew.Size != c.size || is != c.pods {
			t.Errorf("%s: %d pods, pictured %q; want %d, %q", what, crew.Size, is, c.size, c.pods)
		}
	}
}

// The leaders of groups are numbered as their groups are, by their StatefulSet; in its
// group each is the first.
func TestALeaderIsTheFirstOfItsGroup(t *testing.T) {
	leader := pod("serve-4", map[string]string{
		"leaderworkerset.sigs.k8s.io/name": "serve", "leaderworkerset.sigs.k8s.io/group-index": "4",
		"leaderworkerset.sigs.k8s.io/worker-index": "0", "apps.kubernetes.io/pod-index": "4",
	}, nil, "StatefulSet/serve")
	o := Defaults("tiger")
	if is, _ := PodOf(leader, &o); is.Index != 0 || is.Owner.Name != "serve-4" {
		t.Errorf("it is number %d of %s", is.Index, is.Owner.Name)
	}
}

const jobSetText = `
metadata: {name: rl, namespace: oak, uid: u}
spec:
  %s
  replicatedJobs:
  - name: driver
    replicas: 1
    template: {spec: {parallelism: 1, completions: 1, template: {metadata: {labels: {muster.dev/target: oak}}, spec: {containers: [{name: main, resources: {requests: {nvidia.com/gpu: 8}}}]}}}}
  - name: workers
    replicas: 2
    %s
    template: {spec: {parallelism: 3, completions: 3, template: {metadata: {labels: {muster.dev/target: oak}}, spec: {containers: [{name: main, resources: {requests: {nvidia.com/gpu: 8}}}]}}}}
`

// A JobSet is known whole from the first of its pods on, and where it makes one part after
// the other the first need not wait for the rest.
func TestAJobSetIsKnownWhole(t *testing.T) {
	o := Defaults("tiger")
	like := Pod{Namespace: "oak", Name: "rl-driver-0-0", Owner: Owner{Kind: "JobSet", Name: "rl", Pool: "driver", UID: "u"}}
	for what, c := range map[string]struct {
		startup, depends string
		unmade           bool
	}{
		"all at one time":         {"", "", true},
		"in order":                {"startupPolicy: {startupPolicyOrder: InOrder}", "", false},
		"one waits for the other": {"", "dependsOn: [{name: driver, status: Ready}]", false},
	} {
		list := Pictured(object(t, fmt.Sprintf(jobSetText, c.startup, c.depends)), &like, &o)
		if len(list) != 7 {
			t.Fatalf("%s: %d pods, want 7", what, len(list))
		}
		if p := list[6]; p.Unmade != c.unmade || p.Owner.Pool != "workers" || p.Owner.Size != 6 || !p.Virtual || p.Workload() != like.Workload() {
			t.Errorf("%s: the last is %+v", what, p)
		}
	}
}

// What a JobSet still has is what its Jobs have left, and all of those that are not made.
func TestAJobSetIsAsLargeAsWhatItHasLeft(t *testing.T) {
	job := func(part, status string) unstructured.Unstructured {
		return *object(t, "metadata: {labels: {jobset.sigs.k8s.io/replicatedjob-name: "+part+"}}\nspec: {parallelism: 3, completions: 3}\nstatus: {"+status+"}")
	}
	const complete = "succeeded: 3, conditions: [{type: Complete, status: 'True'}]"
	of := object(t, fmt.Sprintf(jobSetText, "", ""))
	for what, c := range map[string]struct {
		jobs []unstructured.Unstructured
		want string
	}{
		"none is made":     {nil, "map[driver:1 workers:6]"},
		"a part is done":   {[]unstructured.Unstructured{job("driver", complete), job("workers", ""), job("workers", "")}, "map[driver:0 workers:6]"},
		"a Job is done":    {[]unstructured.Unstructured{job("driver", ""), job("workers", complete), job("workers", "")}, "map[driver:3 workers:3]"},
		"a pod is done":    {[]unstructured.Unstructured{job("driver", complete), job("workers", "succeeded: 1"), job("workers", "")}, "map[driver:0 workers:5]"},
		"one is not there": {[]unstructured.Unstructured{job("driver", complete), job("workers", "succeeded: 2")}, "map[driver:0 workers:4]"},
	} {
		if is := fmt.Sprint(JobSetSizes(of, c.jobs)); is != c.want {
			t.Errorf("%s: %s, want %s", what, is, c.want)
		}
	}
}

// A RayCluster and an MPIJob are known whole from the first of their pods on.
func TestRayClustersAndMPIJobsAreKnownWhole(t *testing.T) {
	o := Defaults("tiger")
	const pod = "template: {metadata: {labels: {muster.dev/target: oak}}, spec: {containers: [{name: main, resources: {requests: {nvidia.com/gpu: 8}}}]}}"
	for what, c := range map[string]struct{ kind, text, want string }{
		"a head and workers": {"RayCluster", "spec: {headGroupSpec: {" + pod + "}, workerGroupSpecs: [{groupName: a, replicas: 2, maxReplicas: 4, numOfHosts: 2, " + pod + "}]}", "map[a:4 headgroup:1]"},
		"as few as it may":   {"RayCluster", "spec: {headGroupSpec: {}, workerGroupSpecs: [{groupName: a, minReplicas: 3, " + pod + "}, {groupName: b, suspend: true, replicas: 2, " + pod + "}]}", "map[a:3]"},
		"workers":            {"MPIJob", "spec: {mpiReplicaSpecs: {Launcher: {replicas: 1, template: {spec: {containers: [{name: main}]}}}, Worker: {replicas: 3, " + pod + "}}}", "map[worker:3]"},
		"nobody's":           {"RayCluster", "spec: {headGroupSpec: {template: {spec: {containers: [{name: main, resources: {requests: {nvidia.com/gpu: 8}}}]}}}}", "map[]"},
	} {
		is := map[string]int{}
		for _, p := range Pictured(object(t, "metadata: {name: rl, namespace: oak, uid: u}\n"+c.text), &Pod{Namespace: "oak", Owner: Owner{Kind: c.kind, Name: "rl", UID: "u"}}, &o) {
			is[p.Owner.Pool]++
		}
		if fmt.Sprint(is) != c.want {
			t.Errorf("%s: %v, want %s", what, is, c.want)
		}
	}
}
