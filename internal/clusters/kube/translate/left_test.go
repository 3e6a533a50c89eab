package translate

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A Job of which a part has finished makes pods for the rest alone.
func TestAJobHasAsManyPodsAsItHasLeftToFinish(t *testing.T) {
	for _, c := range []struct{ parallelism, completions, succeeded, want int64 }{
		{4, 4, 0, 4}, {4, 4, 1, 3}, {4, 4, 4, 0}, {4, 100, 10, 4}, {4, 100, 98, 2}, {8, 4, 0, 4}, {4, 0, 3, 4},
	} {
		spec := map[string]any{"parallelism": c.parallelism}
		if c.completions > 0 {
			spec["completions"] = c.completions
		}
		if got := JobSize(spec, map[string]any{"succeeded": c.succeeded}); got != int(c.want) {
			t.Errorf("%+v: it has %d", c, got)
		}
	}
}

func suspendedJob(completions, succeeded int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"kind": "Job", "metadata": map[string]any{"namespace": "oak", "name": "sweep", "uid": "u1"},
		"spec": map[string]any{
			"suspend": true, "parallelism": completions, "completions": completions,
			"template": map[string]any{
				"metadata": map[string]any{"labels": map[string]any{LabelTarget: "flex"}},
				"spec": map[string]any{"containers": []any{map[string]any{
					"name": "main", "resources": map[string]any{"requests": map[string]any{"nvidia.com/gpu": "8"}},
				}}},
			},
		},
		"status": map[string]any{"succeeded": succeeded},
	}}
}

func TestASuspendedJobIsPicturedAsWhatItHasLeft(t *testing.T) {
	o := Defaults("tiger")
	s, ok := SuspendableOf(suspendedJob(4, 1), &o)
	pods := Draw([][]Picture{s.Pods})
	if !ok || len(pods) != 3 || pods[0].Owner.Size != 3 {
		t.Fatalf("%t: %d pods of a size of %d, want 3 of 3", ok, len(pods), pods[0].Owner.Size)
	}
	if pool := Group(pods)[0].Pools[0].Pool; pool.Min != 3 || pool.Max != 3 || pool.Elastic {
		t.Errorf("it is a pool of %+v", pool)
	}
	if _, ok := SuspendableOf(suspendedJob(4, 4), &o); ok {
		t.Error("one that has nothing left waits for Muster")
	}
}

// What is annotated bounds a Job from above; what it has left bounds it too.
func TestAnAnnotatedSizeIsOfWhatIsLeft(t *testing.T) {
	pod := func(name string, size int, gated bool, w Wishes) Pod {
		w.Target = "flex"
		return Pod{Namespace: "oak", Name: name, UID: name, GPUs: 8, Gated: gated, Over: !gated, Owner: Owner{Kind: "Job", Name: "sweep", UID: "u", Size: size}, Wishes: w}
	}
	for what, c := range map[string]struct {
		wishes   Wishes
		size     int
		min, max int
	}{
		"a gang of four":                        {Wishes{Min: 4, Max: 4}, 2, 2, 2},
		"an elastic one":                        {Wishes{Min: 3, Max: 8}, 2, 2, 2},
		"an elastic one with enough":            {Wishes{Min: 1, Max: 8}, 12, 1, 8},
		"nobody asked":                          {Wishes{Min: 4, Max: 4}, 0, 4, 4},
		"several Jobs that are one workload":    {Wishes{Min: 4, Max: 4, Workload: "all"}, 2, 4, 4},
		"nothing annotated, the first finished": {Wishes{}, 2, 2, 2},
	} {
		work := Group([]Pod{pod("a", 0, false, c.wishes), pod("b", c.size, true, c.wishes), pod("c", c.size, true, c.wishes)})
		if pool := work[0].Pools[0].Pool; pool.Min != c.min || pool.Max != c.max {
			t.Errorf("%s: %d..%d, want %d..%d", what, pool.Min, pool.Max, c.min, c.max)
		}
	}
}
