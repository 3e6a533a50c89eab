package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestFlagsChooseInTheOrderOfAll(t *testing.T) {
	o, err := read([]string{"-work", "gang,jobs", "-ways", "kueue,kube", "-runs", "1"})
	if err != nil || !slices.Equal(o.tasks, []string{"jobs", "gang"}) || !slices.Equal(o.ways, []string{"kube", "kueue"}) {
		t.Errorf("chosen: %v %v, %v", o.tasks, o.ways, err)
	}
	if _, err := read([]string{"-work", "jobs,none"}); err == nil || !strings.Contains(err.Error(), `no "none"`) {
		t.Errorf("an unknown task: %v", err)
	}
	if _, err := read([]string{"-part", "10", "-keep", "x"}); err == nil {
		t.Error("a part of the work is kept as if it were all")
	}
	if _, err := read([]string{"-runs", "0"}); err == nil {
		t.Error("no runs are taken")
	}
}

func TestWritesAreCountedWithoutLeasesAndReads(t *testing.T) {
	w, err := readWrites(strings.NewReader(`# HELP apiserver_request_total counts
apiserver_request_total{code="201",component="apiserver",group="",resource="pods",scope="resource",subresource="binding",verb="POST",version="v1"} 500
apiserver_request_total{code="409",component="apiserver",group="",resource="pods",scope="resource",subresource="binding",verb="POST",version="v1"} 2
apiserver_request_total{code="201",group="events.k8s.io",resource="events",subresource="",verb="POST"} 30
apiserver_request_total{code="200",resource="leases",subresource="",verb="PUT"} 70
apiserver_request_total{code="200",resource="pods",subresource="",verb="WATCH"} 9
apiserver_request_duration_seconds_count{resource="pods",verb="POST"} 4
`))
	all, events := w.sum()
	if err != nil || all != 532 || events != 30 || w["POST pods/binding"] != 502 {
		t.Errorf("read %v: %d, %d, %v", w, all, events, err)
	}
	more := w.since(writes{"POST pods/binding": 500, "POST events": 30})
	if all, events := more.sum(); all != 2 || events != 0 {
		t.Errorf("since then: %v", more)
	}
}

// told is a change of a pod, as the API server tells it.
func told(t *testing.T, text string) (c change) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAPodIsSeenBoundThenRunningThenGone(t *testing.T) {
	w := &podWatch{pods: map[string]*seen{}}
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	const meta = `"metadata":{"uid":"u","labels":{"compare-job":"m-0000"}`
	w.note(told(t, `{"type":"ADDED","object":{`+meta+`}}}`), at(1))
	w.note(told(t, `{"type":"MODIFIED","object":{`+meta+`},"spec":{"nodeName":"n"}}}`), at(2))
	w.note(told(t, `{"type":"MODIFIED","object":{`+meta+`},"spec":{"nodeName":"n"},"status":{"phase":"Running"}}}`), at(3))
	w.note(told(t, `{"type":"MODIFIED","object":{`+meta+`},"spec":{"nodeName":"n"},"status":{"phase":"Running"}}}`), at(4))
	list := w.running(map[string]bool{"m-0000": true})
	if len(list) != 1 || list[0].bound != at(2) || list[0].running != at(3) {
		t.Fatalf("seen: %v", list)
	}
	var s sample
	s.take(map[string]time.Time{"m-0000": at(0)}, list)
	if s.Bound != 2 || s.RunningP99 != 3 || s.All != 3 || s.Pods != 1 {
		t.Errorf("taken: %+v", s)
	}
	w.note(told(t, `{"type":"MODIFIED","object":{"metadata":{"uid":"u","deletionTimestamp":"2026-11-26T00:00:00Z"}}}`), at(5))
	if list := w.running(map[string]bool{"m-0000": true}); len(list) != 0 {
		t.Error("a pod that leaves counts as running")
	}
	is := told(t, `{"object":{`+meta+`},"status":{"phase":"Running"}}}`).Object
	w.replace([]pod{is}, at(6))
	if list := w.running(map[string]bool{"m-0000": true}); len(list) != 1 || list[0].running != at(3) {
		t.Errorf("listed again: %v", list)
	}
	w.replace(nil, at(7))
	if list := w.running(map[string]bool{"m-0000": true}); len(list) != 0 {
		t.Error("a pod that is not listed any more counts as running")
	}
}

func TestThe99thOf100(t *testing.T) {
	var list []time.Duration
	for i := range 200 {
		list = append(list, time.Duration(200-i)*time.Second)
	}
	if p99(list) != 198 || mean(list) != 100.5 || p99(nil) != 0 {
		t.Errorf("p99 %v, mean %v", p99(list), mean(list))
	}
	if median([]float64{9, 1, 2}) != 2 || median([]float64{1, 3}) != 2 || median(nil) != 0 {
		t.Error("the median is not the middle one")
	}
}

// measured are results with two ways of one task, of which the second is slower, and one that failed.
func measured() results {
	r := results{Machine: "a test"}
	for _, s := range []float64{3, 1, 2} {
		r.add(sample{Task: "gang", Way: "muster-direct", All: s / 2, Pods: 500, Wrote: writes{"POST pods/binding": 500}})
		r.add(sample{Task: "gang", Way: "kube", All: s, Pods: 500, Wrote: writes{"POST pods/binding": 500, "POST events": 500}})
	}
	r.add(sample{Task: "gang", Way: "volcano", Failed: "all pods run: not in 4m0s: 3 of 500 do\nmore"})
	return r
}

func TestTheTableHasTheFastestFirstAndSaysWhoFailed(t *testing.T) {
	text := measured().table()
	for _, want := range []string{"**A gang of 500**", "1.0 s (0.50 ×)", "| kube-scheduler | 2.0 s |", "2.00 (1.00)", "| Volcano | **not**: all pods run: not in 4m0s: 3 of 500 do |"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
	if muster, kube := strings.Index(text, "Muster"), strings.Index(text, "| kube-scheduler"); muster > kube {
		t.Errorf("the slower is first:\n%s", text)
	}
}

func TestWhatIsNotMeasuredAnewStays(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kept.json")
	if err := measured().write(file); err != nil {
		t.Fatal(err)
	}
	r, err := options{keep: file}.kept()
	r.add(sample{Task: "gang", Way: "kube", All: 9})
	r.add(sample{Task: "gang", Way: "kube", All: 8})
	if err != nil || len(r.of("gang", "kube")) != 2 || len(r.of("gang", "muster-direct")) != 3 {
		t.Errorf("kept: %+v, %v", r, err)
	}
}

func TestEachRunBeginsWithAnotherWay(t *testing.T) {
	plan := options{runs: 2, part: 1, tasks: []string{"gang"}}.plan(ways[:2])
	var keys []string
	for _, s := range plan {
		keys = append(keys, s.way.key)
	}
	if want := []string{"kube", "kube-gang", "kube-gang", "kube"}; !slices.Equal(keys, want) {
		t.Errorf("measured in the order %v, want %v", keys, want)
	}
}

func TestATableStandsBetweenItsMarks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.md")
	const page = "before\n<!-- compare -->\nold\n<!-- end compare -->\nafter\n"
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writeInto(file, "new\n"); err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(file); string(data) != strings.Replace(page, "old", "new", 1) {
		t.Errorf("written: %s", data)
	}
	if err := writeInto(filepath.Join("..", "..", "..", "go.mod"), ""); err == nil {
		t.Error("a file without marks is written")
	}
}

// TestAllWaysMakeTheSameWork holds the pods of every way to the same number and the same GPUs.
func TestAllWaysMakeTheSameWork(t *testing.T) {
	for _, task := range tasks {
		for _, w := range ways {
			pods := 0
			for _, m := range w.make(&bed{task: task}, task.jobs()) {
				pods += podsOf(m)
			}
			if pods != task.pods() {
				t.Errorf("%s: %s makes %d pods, not %d", task.key, w.name, pods, task.pods())
			}
		}
	}
}

// podsOf is how many pods come of an object.
func podsOf(m made) int {
	switch m.object["kind"] {
	case "Pod":
		return 1
	case "Job":
		return m.object["spec"].(map[string]any)["parallelism"].(int)
	}
	return 0
}
