package translate

import (
	"runtime"
	"strconv"
	"testing"
	"unsafe"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Objects of a kilobyte speak of as many pods as they like. What Muster keeps of each, and makes of all of a
// namespace's, is bounded, and each is still a workload of its size.
func TestLargeObjectsTakeLittleRoom(t *testing.T) {
	const many, each = 40, 20_000
	o := Defaults("tiger")
	var objects [][]Picture
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range many {
		job := suspendedJob(each, 0)
		job.SetName("sweep-" + strconv.Itoa(i))
		job.SetUID("")
		_ = unstructured.SetNestedField(job.Object, "u"+strconv.Itoa(i), "metadata", "uid")
		s, ok := SuspendableOf(job, &o)
		if !ok {
			t.Fatal("it is none")
		}
		objects = append(objects, s.Pods)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > many<<20 {
		t.Errorf("%d Jobs take %d MB", many, took>>20)
	}
	list := Draw(objects)
	if len(list) > mostPictured+many {
		t.Errorf("they are %d pods, of %d bytes each", len(list), unsafe.Sizeof(Pod{}))
	}
	work := Group(list)
	if len(work) != many {
		t.Fatalf("they are %d workloads", len(work))
	}
	for _, w := range work {
		if pool := w.Pools[0].Pool; pool.Min != each || pool.Max != each || pool.Reach != "island" {
			t.Errorf("%s is a pool of %+v", w.Name, pool)
		}
	}
}

// What a namespace asks for is no matter to how others are pictured, and its small objects are pictured whole.
func TestALargeObjectCrowdsOutNoOther(t *testing.T) {
	picture := func(namespace, uid string, n int) []Picture {
		return []Picture{{Like: Pod{Namespace: namespace, GPUs: 8}, Count: n, uid: uid}}
	}
	drawn := map[string]int{}
	for _, p := range Draw([][]Picture{picture("elm", "a", 15_000), picture("elm", "b", 15_000), picture("elm", "c", 3), picture("oak", "d", 15_000)}) {
		drawn[p.UID[:1]]++
	}
	if drawn["a"] != 15_000 || drawn["b"] != 1 || drawn["c"] != 3 || drawn["d"] != 15_000 {
		t.Errorf("they are %v", drawn)
	}
}
