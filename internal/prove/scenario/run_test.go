package scenario

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/yamlfile"
)

// notYet lists the scenarios that cannot pass yet, by file name, and why. One
// that passes must be taken out, so that the list stays true.
var notYet = map[string]string{}

// TestScenarios tells every story: the project's own, and those that came with the contract.
func TestScenarios(t *testing.T) {
	for _, folder := range []string{"../../../scenarios", "../../../../shared/scenarios"} {
		files, err := gather([]string{folder})
		if errors.Is(err, os.ErrNotExist) {
			t.Logf("SKIPPED: there is no folder %s", folder)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			t.Run(filepath.Base(file), func(t *testing.T) { tellStory(t, file) })
		}
	}
}

// TestOpenStories tells the stories of what is known to be wrong: docs/proofs.md lists them. One that passes belongs to the
// project's own.
func TestOpenStories(t *testing.T) {
	files, err := filepath.Glob("testdata/open/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			report, err := LoadAndRun(t.Context(), file)
			if err != nil {
				t.Fatal(err)
			}
			if report.Passed() {
				t.Error("passes: move it to the folder scenarios, and take it out of docs/proofs.md")
			}
		})
	}
}

func tellStory(t *testing.T, file string) {
	why, later := notYet[filepath.Base(file)]
	f, err := Load(file)
	told := &telling{file: f}
	var report Report
	if err == nil {
		report, err = told.reported(t.Context())
	}
	if err == nil {
		liveThrough(t, told.world.journal)
	}
	switch {
	case later && err != nil:
		t.Logf("not yet: %s: %v", why, err)
	case err != nil:
		t.Fatal(err)
	case later && report.Passed():
		t.Errorf("passes, though listed as not yet (%s): take it from the list", why)
	case later:
		t.Logf("not yet: %s", why)
	case !report.Passed():
		var b strings.Builder
		report.Write(&b)
		t.Error(b.String())
	}
}

// told runs a story of the small fleet of parse_test.go.
func told(t *testing.T, steps ...string) Report {
	t.Helper()
	f, err := Parse("f", story(steps...))
	if err != nil {
		t.Fatal(err)
	}
	report, err := Run(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestEveryFigureCanFail asks for each figure what is not so: an expectation
// that cannot fail proves nothing.
func TestEveryFigureCanFail(t *testing.T) {
	for wrong, want := range map[string]string{
		"workload: w, state: pending":                                        "workload w: state: expected pending, actual running",
		"workload: w, holds: flex":                                           "workload w: holds: expected flex, actual guaranteed",
		"workload: w, gpus: 7":                                               "workload w: gpus: expected 7, actual 8",
		`workload: w, gpus: "> 8"`:                                           "workload w: gpus: expected > 8, actual 8",
		`workload: w, gpus: "< 8"`:                                           "workload w: gpus: expected < 8, actual 8",
		`workload: w, gpus: ">= 9"`:                                          "workload w: gpus: expected >= 9, actual 8",
		`workload: w, gpus: "<= 7"`:                                          "workload w: gpus: expected <= 7, actual 8",
		"workload: w, islands: [b]":                                          "workload w: islands: expected [b], actual [a]",
		"workload: w, nodes: 2":                                              "workload w: nodes: expected 2, actual [tiger-h200-a-001]",
		"workload: w, nodes: [tiger-h200-a-001, x]":                          "workload w: nodes: expected [tiger-h200-a-001, x], actual [tiger-h200-a-001]",
		"workload: w, pools: {p: 2}":                                         "workload w: pools: expected {p: 2}, actual {p: 1}",
		"workload: w, reason: QuotaFull":                                     "workload w: reason: expected QuotaFull, actual nothing",
		"workload: w, says: because":                                         `workload w: says: expected a text with "because", actual nothing`,
		"workload: w, evictions: 1":                                          "workload w: evictions: expected 1, actual 0",
		"workload: w, mends: 1":                                              "workload w: mends: expected 1, actual 0",
		"workload: w, waited: 1s":                                            "workload w: waited: expected 1s, actual 0s",
		"workload: w, position: 1":                                           "workload w: position: expected 1, actual 0",
		"quota: oak/leaf, partition: tiger/h200, scheduled: 0":               "quota oak/leaf: scheduled: expected 0, actual 8",
		"quota: oak/leaf, partition: tiger/h200, islands: {a: 8}":            "quota oak/leaf: islands: expected {a: 8}, actual {a: 16}",
		"quota: oak/leaf, partition: tiger/h200, flags: [GangUnbacked]":      "quota oak/leaf: flags: expected [GangUnbacked], actual []",
		"quota: oak, partition: tiger/h200, assigned: 8":                     "quota oak: assigned: expected 8, actual 0",
		"partition: tiger/h200, flex: 0":                                     "partition tiger/h200: flex: expected 0, actual 72",
		"namespace: n, partition: tiger/h200, flexUsed: 1":                   "namespace n: flexUsed: expected 1, actual 0",
		"node: tiger-h200-a-001, state: suspect":                             "node tiger-h200-a-001: state: expected suspect, actual healthy",
		"node: tiger-h200-a-001, free: 8":                                    "node tiger-h200-a-001: free: expected 8, actual 0",
		"node: tiger-h200-a-001, workloads: []":                              "node tiger-h200-a-001: workloads: expected [], actual [w]",
		"node: tiger-h200-a-099, free: 8":                                    "node tiger-h200-a-099: free: expected 8, actual no such node",
		`partition: tiger/h200, flex: 72, promisable: 64, largestGang: ">8"`: "partition tiger/h200: largestGang: expected > 8, actual 8",
	} {
		report := told(t, submitW, "{at: 1s, expect: [{"+wrong+"}]}")
		if len(report.Failures) != 1 || report.Failures[0].String() != "f:6: "+want {
			t.Errorf("%s:\ngot  %v\nwant f:6: %s", wrong, report.Failures, want)
		}
	}
}

func TestBoundsHold(t *testing.T) {
	report := told(t, submitW, `{at: 1s, expect: [{workload: w, gpus: ">= 8", waited: "<= 0s", nodes: "<2", pools: {p: "> 0"}}, {partition: tiger/h200, flex: "<=72"}]}`)
	if !report.Passed() || report.Expectations != 5 {
		t.Errorf("%d expectations, %v", report.Expectations, report.Failures)
	}
}

func TestRefusalsAreCompared(t *testing.T) {
	for step, want := range map[string]string{
		"{at: 1s, grant: {quota: elm, partition: tiger/h200, gpus: 8}}":                       "f:5: step: expected to be accepted, actual refused: NoSuchQuota",
		"{at: 1s, grant: {quota: oak, partition: tiger/h200, gpus: 8}, refused: NoSuchQuota}": "f:5: step: expected refused: NoSuchQuota, actual accepted",
		"{at: 1s, grant: {quota: elm, partition: tiger/h200, gpus: 8}, refused: Invalid}":     "f:5: step: expected refused: Invalid, actual refused: NoSuchQuota",
		"{at: 1s, node: {name: {free: tiger/h200, count: 11}, state: suspect}}":               "f:5: step: expected to be possible, actual 11 nodes were meant, and there are only 10 to choose from",
		submitW + "\n  - {at: 1s, cancel: w, refused: Invalid}":                               "f:6: step: expected refused: Invalid, actual accepted",
	} {
		report := told(t, step)
		if len(report.Failures) != 1 || !strings.HasPrefix(report.Failures[0].String(), want) {
			t.Errorf("got  %v\nwant %s", report.Failures, want)
		}
	}
	report := told(t, "{at: 1s, grant: {quota: elm, partition: tiger/h200, gpus: 8}, refused: NoSuchQuota}")
	if !report.Passed() || report.Expectations != 1 {
		t.Errorf("got %d expectations, %v", report.Expectations, report.Failures)
	}
}

func TestWhatIsDueHappensBeforeAStepAndStepsInOrder(t *testing.T) {
	report := told(t,
		"{at: 0s, submit: {name: w, namespace: n, target: oak/leaf, runtime: 1h, pools: [{name: p, replicas: 2, gpus: 8}]}}",
		"{at: 59m59s, expect: [{workload: w, state: running}]}",
		"{at: 1h, expect: [{workload: w, state: finished}]}",
		"{at: 1h, submit: {name: v, namespace: n, target: oak/leaf, pools: [{name: p, replicas: 2, gpus: 8}]}}",
		"{at: 1h, expect: [{workload: v, state: running, waited: 0s}]}",
		"{at: 1h, cancel: v}",
		"{at: 1h, expect: [{workload: v, state: cancelled}]}",
	)
	if !report.Passed() {
		t.Errorf("got %v", report.Failures)
	}
}

func TestRestartKeepsWhatTheClusterDoes(t *testing.T) {
	report := told(t,
		"{at: 0s, submit: {name: w, namespace: n, target: oak/leaf, runtime: 1h, pools: [{name: p, replicas: 2, gpus: 8}]}}",
		"{at: 30m, restart: true}",
		"{at: 59m, expect: [{workload: w, state: running}]}",
		"{at: 1h1m, expect: [{workload: w, state: finished}]}",
	)
	if !report.Passed() {
		t.Errorf("got %v", report.Failures)
	}
}

func TestRefusedDuplicateKeepsTheFirstRunTime(t *testing.T) {
	submit := "submit: {name: w, namespace: n, target: oak/leaf, runtime: %, pools: [{name: p, replicas: 1, gpus: 8}]}"
	report := told(t,
		"{at: 0s, node: {name: {free: tiger/h200, count: 10}, state: quarantined}}",
		"{at: 1m, "+strings.Replace(submit, "%", "1h", 1)+"}", // waits, so the cluster does not know it yet
		"{at: 2m, "+strings.Replace(submit, "%", "1m", 1)+", refused: NameTaken}",
		"{at: 3m, policy: {dwell: 0s}}",
		"{at: 4m, node: {name: tiger-h200-a-001..010, state: healthy}}",
		"{at: 1h3m, expect: [{workload: w, state: running}]}",
		"{at: 1h5m, expect: [{workload: w, state: finished, waited: 3m}]}",
	)
	if !report.Passed() {
		t.Errorf("got %v", report.Failures)
	}
}

func TestFleetThatCannotBeBuiltIsMalformed(t *testing.T) {
	f, err := Parse("f", []byte("scenario: s\nclusters: [{name: tiger, partitions: [{gpu: h200, islands: [{name: a, nodes: 2}]}]}]\nquotas:\n  - {path: a, grants: [{partition: tiger/h200, gpus: 8}]}\n  - {path: b, grants: [{partition: tiger/h200, gpus: 16}]}\nsteps: []\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Run(t.Context(), f)
	var wrong yamlfile.Errors
	if !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), "f:5: grant b in tiger/h200: 16 GPUs: Overpromise: ") {
		t.Errorf("got %v", err)
	}
}

func TestRunAllTellsOneLineEachAndTheSum(t *testing.T) {
	dir := t.TempDir()
	write := func(name, title string, steps ...string) {
		text := strings.Replace(string(story(steps...)), "a story", title, 1)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("1.yaml", "good", submitW, "{at: 1s, expect: [{workload: w, state: running}]}")
	write("2.yaml", "bad", submitW, "{at: 1s, expect: [{workload: w, state: pending}]}")
	var b strings.Builder
	var failed *FailedError
	if err := RunAll(t.Context(), &b, []string{dir}); !errors.As(err, &failed) || failed.Failed != 1 || failed.Passed != 1 {
		t.Errorf("got %v", err)
	}
	lines := strings.Split(b.String(), "\n")
	for i, want := range []string{"ok   good (" + dir + "/1.yaml): 1 expectations, ", "FAIL bad (" + dir + "/2.yaml): 1 expectations, ", "     " + dir + "/2.yaml:6: workload w: state: expected pending, actual running", "1 passed, 1 failed"} {
		if !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d is %q, want %q...", i+1, lines[i], want)
		}
	}
	if err := RunAll(t.Context(), &b, []string{dir + "/1.yaml"}); err != nil {
		t.Errorf("got %v", err)
	}
	write("3.yaml", "malformed", "{at: soon, stale: tiger}")
	b.Reset()
	var malformed *MalformedError
	if err := RunAll(t.Context(), &b, []string{dir}); !errors.As(err, &malformed) {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(b.String(), dir+`/3.yaml:5: at is "soon"`) || !strings.HasSuffix(b.String(), "1 passed, 2 failed\n") {
		t.Errorf("got\n%s", b.String())
	}
}

func TestRunAllRefusesFoldersWithoutScenarios(t *testing.T) {
	if err := RunAll(t.Context(), &strings.Builder{}, []string{t.TempDir()}); err == nil || !strings.Contains(err.Error(), "holds no scenario files") {
		t.Errorf("got %v", err)
	}
	if err := RunAll(t.Context(), &strings.Builder{}, []string{"nowhere.yaml"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestTheSameStoryEndsTheSame(t *testing.T) {
	run := func() string {
		f, err := Load("../../../scenarios/eviction-outlives-its-owner.yaml")
		if err != nil {
			t.Fatal(err)
		}
		t1 := &telling{file: f}
		if err := t1.tell(t.Context()); err != nil {
			t.Fatal(err)
		}
		return t1.world.hash()
	}
	if a, b := run(), run(); a != b {
		t.Errorf("state hashes %s and %s", a, b)
	}
}

func TestSumOfMalformedFilesIsExitCodeTwo(t *testing.T) {
	begin := time.Now()
	path := filepath.Join(t.TempDir(), "huge.yaml")
	if err := os.WriteFile(path, []byte("scenario: "+strings.Repeat("x", 10<<20)+"\nstep: []\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var malformed *MalformedError
	if err := RunAll(t.Context(), &b, []string{path}); !errors.As(err, &malformed) || b.Len() > 2000 {
		t.Errorf("got %v and %d bytes of text", err, b.Len())
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

// An empty map says that there is nothing; what is there is shown as in a file.
func TestAnEmptyMapMeansNothing(t *testing.T) {
	for _, c := range []struct {
		want   Want
		actual any
		met    bool
		shown  string
	}{
		{Numbers{}, map[string]int{"a": 8}, false, "{a: 8}"},
		{Numbers{}, map[string]int{"a": 0}, true, "{a: 0}"},
		{Numbers{}, map[string]int{}, true, "{}"},
		{Texts{}, map[string]string{"os": "2", "driver": "570"}, false, "{driver: 570, os: 2}"},
		{Texts{}, map[string]string{}, true, "{}"},
	} {
		if got := c.want.met(c.actual); got != c.met || show(c.actual) != c.shown {
			t.Errorf("%v with %v: met %v, shown as %s", c.want, c.actual, got, show(c.actual))
		}
	}
}
