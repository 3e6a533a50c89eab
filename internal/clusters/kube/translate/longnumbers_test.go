package translate

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A template with a number that takes gigabytes to read is told, and not read.
func TestALongNumberIsNotRead(t *testing.T) {
	o := Defaults("tiger")
	for _, number := range []string{"1e-999999999", "1E-999999999", "12345678901234567890123e999999999"} {
		began := time.Now()
		set := object(t, fmt.Sprintf(`
kind: JobSet
metadata: {name: s, namespace: oak, uid: u}
spec: {suspend: true, replicatedJobs: [{name: w, template: {spec: {template: {metadata: {labels: {muster.dev/target: oak}}, spec: {containers: [{name: m, resources: {limits: {nvidia.com/gpu: %q}}}]}}}}}]}
`, number))
		s, ok := SuspendableOf(set, &o)
		if ok || len(s.Problems) != 1 || !strings.Contains(s.Problems[0].Text, "too long") {
			t.Errorf("%s: %+v, %v", number, s, ok)
		}
		ray := object(t, fmt.Sprintf(`
metadata: {name: rl, namespace: oak, uid: u}
spec: {headGroupSpec: {template: {metadata: {labels: {muster.dev/target: oak}}, spec: {containers: [{name: m, resources: {limits: {nvidia.com/gpu: 1, memory: %q}}}]}}}}
`, number))
		if list := Pictured(ray, &Pod{Namespace: "oak", Owner: Owner{Kind: "RayCluster", Name: "rl", UID: "u"}}, &o); len(list) > 0 {
			t.Errorf("%s: %d pods are pictured", number, len(list))
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("%s took %v", number, took)
		}
	}
	if is := LongNumber(map[string]any{"a": []any{"1e3", "8", "1E", "2Ei", "100m", int64(7)}}); is != "" {
		t.Errorf("%s is called long", is)
	}
}

// However many parts an object has, no more pods of it are pictured one by one than of one part.
func TestAnObjectOfManyPartsTakesLittleRoom(t *testing.T) {
	o := Defaults("tiger")
	var groups strings.Builder
	for i := range 200 {
		fmt.Fprintf(&groups, "    - {groupName: g%d, replicas: 20000, maxReplicas: 20000, template: {metadata: {labels: {muster.dev/target: oak}}, spec: {containers: [{name: m, resources: {limits: {nvidia.com/gpu: 8}}}]}}}\n", i)
	}
	ray := object(t, "metadata: {name: rl, namespace: oak, uid: u}\nspec:\n  headGroupSpec: {}\n  workerGroupSpecs:\n"+groups.String())
	list := Pictured(ray, &Pod{Namespace: "oak", Owner: Owner{Kind: "RayCluster", Name: "rl", UID: "u"}}, &o)
	if len(list) > 21_000 {
		t.Errorf("%d pods are pictured", len(list))
	}
	parts := map[string]int{}
	for _, p := range list {
		parts[p.Owner.Pool] = p.Owner.Size
	}
	if len(parts) != 200 || parts["g199"] != 20_000 {
		t.Errorf("%d parts, the last of %d pods", len(parts), parts["g199"])
	}
}
