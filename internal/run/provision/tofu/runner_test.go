package tofu_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/run/provision/tofu"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// program finds OpenTofu or Terraform. Without one the test is skipped, and says so.
func program(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"tofu", "terraform"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("neither tofu nor terraform is installed here")
	return ""
}

// bench is a runner with projects of its own.
type bench struct {
	*testing.T
	o        tofu.Options
	r        *tofu.Runner
	projects string
	now      time.Time
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{T: t, projects: t.TempDir(), now: time.Now()}
	b.o = tofu.Options{
		Program: program(t), Folder: t.TempDir(), Source: tofu.NewSource(b.projects, "", ""), Secrets: t.TempDir(),
		People: map[string]string{"ada": "adas-password"}, Now: func() time.Time { return b.now },
	}
	b.open()
	t.Cleanup(func() { b.r.Close() })
	return b
}

func (b *bench) open() {
	b.Helper()
	r, err := tofu.Open(b.o)
	if err != nil {
		b.Fatal(err)
	}
	b.r = r
}

// project writes the file of a project.
func (b *bench) project(name, text string) {
	b.Helper()
	folder := filepath.Join(b.projects, name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "main.tf"), []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
}

// nodes is a project that makes one resource for each node, and writes a line for each that it makes.
func (b *bench) nodes(more string) string {
	return `variable "cluster" {}
variable "nodes" {}
resource "terraform_data" "node" {
  count = var.nodes
  input = "${var.cluster}-${count.index}"
  provisioner "local-exec" { command = "echo made ${var.cluster}-${count.index} >> ` + b.made() + `" }
}
` + more
}

// made is the file in which every resource that is made leaves a line.
func (b *bench) made() string { return filepath.Join(b.projects, "made") }

func (b *bench) makes() int {
	data, _ := os.ReadFile(b.made())
	return bytes.Count(data, []byte("\n"))
}

func order(attempt, generation, nodes int, projects ...string) provision.Order {
	return provision.Order{
		ID: fmt.Sprintf("lynx.pipeline.g%d.%d", generation, attempt), Step: fleet.StepPipeline, Generation: generation, Attempt: attempt,
		Record:    fleet.ClusterRecord{Name: "lynx", Provider: "azure", Subscription: "s1", Region: "east", GPU: "h200", GPUsPerNode: 8, Islands: []fleet.RecordIsland{{Name: "a", Nodes: nodes}}},
		Blueprint: fleet.Blueprint{Name: "nd", Runner: "tofu", Projects: projects},
	}
}

// ends waits until a run has ended, or waits for a person.
func (b *bench) ends(o provision.Order) provision.Report {
	b.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		is, found, err := b.r.Find(b.Context(), o)
		if err != nil || !found {
			b.Fatalf("run %s: found %v, %v", o.ID, found, err)
		}
		if is.State != fleet.OperationRunning {
			return is
		}
	}
	log, _ := os.ReadFile(b.r.LogOf(o.ID))
	b.Fatalf("run %s does not end: %s", o.ID, log)
	return provision.Report{}
}

func (b *bench) run(o provision.Order) provision.Report {
	b.Helper()
	if _, found, err := b.r.Find(b.Context(), o); found || err != nil {
		b.Fatalf("before it began: found %v, %v", found, err)
	}
	if _, err := b.r.Begin(b.Context(), o); err != nil {
		b.Fatal(err)
	}
	return b.ends(o)
}

// Projects are applied in order, and an empty plan is the evidence. The log is there, and a
// second generation adds what is new. Of variables that a project does not declare it warns of those
// that a person wrote into the record.
func TestProjectsAreAppliedAndPlanNothing(t *testing.T) {
	b := newBench(t)
	b.project("net", `resource "terraform_data" "net" { input = "10.0.0.0/8" }`)
	b.project("nodes", b.nodes(""))
	is := b.run(order(1, 1, 2, "net", "nodes"))
	if is.State != fleet.OperationSucceeded || !strings.Contains(is.Detail, "net at files ") || strings.Count(is.Detail, "empty plan") != 2 {
		t.Fatalf("%+v", is)
	}
	log, err := os.ReadFile(b.r.LogOf("lynx.pipeline.g1.1"))
	if err != nil || !strings.Contains(string(log), "Apply complete! Resources: 2 added") || strings.Contains(string(log), "undeclared") {
		t.Errorf("the log says %s, %v", log, err)
	}
	more := order(1, 2, 3, "net", "nodes")
	more.Record.Variables = map[string]string{"zonne": "2"}
	if is := b.run(more); is.State != fleet.OperationSucceeded || b.makes() != 3 {
		t.Errorf("%+v; %d nodes were made", is, b.makes())
	}
	if log, err := os.ReadFile(b.r.LogOf(more.ID)); err != nil || !strings.Contains(string(log), `"zonne"`) || strings.Contains(string(log), `"owner"`) {
		t.Errorf("the log of a mistyped variable says %s, %v", log, err)
	}
}

// What would destroy a resource waits for a person, who is told which. Unblocked, that is applied.
func TestAPlanThatDestroysWaitsForAPerson(t *testing.T) {
	b := newBench(t)
	b.project("nodes", b.nodes(""))
	b.run(order(1, 1, 3, "nodes"))
	o := order(1, 2, 1, "nodes")
	is := b.run(o)
	if is.State != fleet.OperationBlocked || !strings.Contains(is.Error, "project nodes would destroy terraform_data.node[1], terraform_data.node[2]") {
		t.Fatalf("%+v", is)
	}
	if err := b.r.Unblock(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if is := b.ends(o); is.State != fleet.OperationSucceeded {
		t.Errorf("unblocked: %+v", is)
	}
	if err := b.r.Unblock(t.Context(), o); err != nil || b.makes() != 3 {
		t.Errorf("unblocked again: %v, %d made", err, b.makes())
	}
	end := o
	end.ID, end.Step = "lynx.teardown.g2.1", fleet.StepTeardown
	if is := b.run(end); is.State != fleet.OperationSucceeded {
		t.Errorf("taken down: %+v", is)
	}
}

// Drift by hand is seen by the next look, and a change in the source is none of its own.
func TestDriftIsSeen(t *testing.T) {
	b := newBench(t)
	b.project("net", `resource "terraform_data" "net" { input = "10.0.0.0/8" }`)
	o := order(1, 1, 1, "net")
	b.run(o)
	s := provision.Subject{Record: o.Record, Blueprint: o.Blueprint, Generation: 1, Done: []fleet.Step{fleet.StepPipeline}}
	seen, err := b.r.Look(t.Context(), s)
	if err != nil || len(seen) != 1 || seen[0].Step != fleet.StepProjects || !seen[0].Holds {
		t.Fatalf("after the run: %+v, %v", seen, err)
	}
	b.project("net", `resource "terraform_data" "net" { input = "10.1.0.0/16" }`)
	b.now = b.now.Add(tofu.CheckEvery)
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		seen, err = b.r.Look(t.Context(), s)
		if err != nil || time.Now().After(end) {
			t.Fatalf("the drift is not seen: %+v, %v", seen, err)
		}
		if len(seen) == 1 && !seen[0].Holds {
			break
		}
	}
	if !strings.Contains(seen[0].Detail, "project net is not as it was applied") {
		t.Errorf("%+v", seen[0])
	}
}

// A run that the end of the process interrupts goes on after the next start, behind no stale
// lock, and makes nothing twice.
func TestAnInterruptedRunGoesOn(t *testing.T) {
	b := newBench(t)
	b.project("nodes", b.nodes(`resource "terraform_data" "slow" {
  depends_on = [terraform_data.node]
  provisioner "local-exec" { command = "test -e `+b.made()+`.go || sleep 600" }
}
`))
	o := order(1, 1, 2, "nodes")
	if _, err := b.r.Begin(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); b.makes() < 2; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the apply does not begin")
		}
	}
	lock := filepath.Join(b.o.Folder, "states", "lynx", "nodes.tfstate.lock")
	data, err := os.ReadFile(lock)
	if err != nil {
		t.Fatal("an apply holds no lock:", err)
	}
	b.r.Close()
	if err := os.WriteFile(lock, data, 0o600); err != nil { // as a killed program leaves it
		t.Fatal(err)
	}
	if err := os.WriteFile(b.made()+".go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.open()
	if is := b.ends(o); is.State != fleet.OperationSucceeded && is.State != fleet.OperationBlocked {
		t.Fatalf("%+v", is)
	}
	if n := b.makes(); n != 2 {
		t.Errorf("%d nodes were made of 2", n)
	}
}

// What a killed server leaves behind of a run, as the shell of a provisioner, ends before the run goes on. What is of
// another run stays.
func TestARunIsAloneAfterACrash(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux shows the environment of other processes")
	}
	b := newBench(t)
	o := order(1, 1, 2, "net")
	left := func(run string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), "sleep", "600")
		cmd.Env = append(os.Environ(), "MUSTER_RUN="+filepath.Join(b.o.Folder, "runs", run))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	behind, other := left(o.ID), left("puma.pipeline.g1.1")
	go func() { _ = behind.Wait() }()
	b.project("net", fmt.Sprintf(`resource "terraform_data" "net" {
  provisioner "local-exec" { command = "! kill -0 %d" }
}`, behind.Process.Pid))
	if _, err := b.r.Begin(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if is := b.ends(o); is.State != fleet.OperationSucceeded {
		t.Fatalf("it runs beside what it had left behind: %+v", is)
	}
	if err := other.Process.Kill(); err != nil {
		t.Error("another run was ended with it:", err)
	}
	_ = other.Wait()
}

// The lock of a person is honoured: the run waits, and says whose lock it is.
func TestTheLockOfAPersonIsHonoured(t *testing.T) {
	b := newBench(t)
	b.project("net", `resource "terraform_data" "net" {}`)
	call := func(method string) int {
		body, _ := json.Marshal(map[string]string{"ID": "adas-lock", "Who": "ada@laptop", "Operation": "OperationTypeApply", "Info": "", "Version": "1", "Created": "2026-01-01T00:00:00Z", "Path": ""})
		r, _ := http.NewRequestWithContext(t.Context(), method, "http://"+b.r.BackendAddress()+"/state?cluster=lynx&project=net", bytes.NewReader(body))
		r.SetBasicAuth("ada", "adas-password")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		return answer.StatusCode
	}
	if code := call("LOCK"); code != http.StatusOK {
		t.Fatalf("ada's lock is answered with %d", code)
	}
	is := b.run(order(1, 1, 1, "net"))
	if is.State != fleet.OperationFailed || is.Class != fleet.ErrorWait || !strings.Contains(is.Error, "ada@laptop") {
		t.Errorf("%+v", is)
	}
	if code := call("UNLOCK"); code != http.StatusOK {
		t.Fatalf("ada's lock is taken away with %d", code)
	}
	if is := b.run(order(2, 1, 1, "net")); is.State != fleet.OperationSucceeded {
		t.Errorf("%+v", is)
	}
}

// Records name the variables of the environment that they may, and none takes the place of what the
// record says. A project is a folder of its source.
func TestARecordReachesNoFurther(t *testing.T) {
	b := newBench(t)
	t.Setenv("PLANTED_ALLOWED", "allowed-secret")
	t.Setenv("PLANTED_OTHER", "other-secret")
	b.r.Close()
	b.o.Env = []string{"PLANTED_ALLOWED"}
	b.open()
	b.project("says", `variable "cluster" {}
variable "key" {}
resource "terraform_data" "says" {
  input = var.cluster
  provisioner "local-exec" { command = "echo of ${var.cluster}" }
}`)
	outside := t.TempDir()
	if err := errors.Join(os.WriteFile(filepath.Join(outside, "main.tf"), nil, 0o600), os.Symlink(outside, filepath.Join(b.projects, "elsewhere"))); err != nil {
		t.Fatal(err)
	}
	if is := b.run(order(1, 1, 1, "elsewhere")); is.State != fleet.OperationFailed || !strings.Contains(is.Error, "there is no such project") {
		t.Errorf("a link that leads out of the source: %+v", is)
	}
	o := order(2, 1, 1, "says")
	o.Record.Variables = map[string]string{"key": "env:PLANTED_OTHER"}
	if is := b.run(o); is.State != fleet.OperationFailed || is.Class != fleet.ErrorFix || !strings.Contains(is.Error, "--tofu-env") {
		t.Errorf("another variable of the server: %+v", is)
	}
	o = order(3, 1, 1, "says")
	o.Record.Variables = map[string]string{"key": "env:PLANTED_ALLOWED", "cluster": "tiger"}
	is := b.run(o)
	log, _ := os.ReadFile(b.r.LogOf(o.ID))
	if is.State != fleet.OperationSucceeded || !bytes.Contains(log, []byte("of lynx")) || bytes.Contains(log, []byte("of tiger")) {
		t.Errorf("%+v\n%s", is, log)
	}
}

// What is wrong in a project or a record waits for a change, in the program's own words, and
// secrets are in no log, no error and no file that is left but the state.
func TestWhatIsWrongIsSaid(t *testing.T) {
	const planted = "planted-secret-93b1"
	b := newBench(t)
	b.project("typo", `resource "terraform_data" "net" { inputt = "x" }`)
	b.project("tells", `variable "db_password" {}
resource "terraform_data" "db" {
  input = var.db_password
  provisioner "local-exec" { command = "echo the password is ${var.db_password}; exit 3" }
}`)
	if err := os.WriteFile(filepath.Join(b.o.Secrets, "db"), []byte(planted+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if is := b.run(order(1, 1, 1, "typo")); is.State != fleet.OperationFailed || is.Class != fleet.ErrorFix || !strings.Contains(is.Error, "Unsupported argument") {
		t.Errorf("%+v", is)
	}
	b.project("never", `resource "terraform_data" "net" {
  lifecycle {
    precondition {
      condition     = false
      error_message = "never"
    }
  }
}`)
	is := b.run(order(9, 1, 1, "never")) // the program says first that something is wrong, and then what
	if is.Class != fleet.ErrorFix || !strings.HasPrefix(is.Error, "project never: Invalid precondition expression") {
		t.Errorf("%+v", is)
	}
	if is := b.run(order(2, 1, 1, "none")); is.Class != fleet.ErrorFix || !strings.Contains(is.Error, "there is no such project") {
		t.Errorf("%+v", is)
	}
	o := order(3, 1, 1, "tells")
	for value, says := range map[string]string{"env:PATH": "no secret that records may name", "file:../x": "no secret that the server may read", "secret:a/b/c": "no secret that the runner tofu reads"} {
		o.Record.Variables = map[string]string{"db_password": value}
		if is := b.run(o); is.Class != fleet.ErrorFix || !strings.Contains(is.Error, says) {
			t.Errorf("%s: %+v", value, is)
		}
		o.Attempt++
		o.ID = fmt.Sprintf("lynx.pipeline.g1.%d", o.Attempt)
	}
	o.Record.Variables = map[string]string{"db_password": "file:db"}
	is = b.run(o)
	if is.State != fleet.OperationFailed || strings.Contains(is.Error, planted) {
		t.Errorf("%+v", is)
	}
	log, _ := os.ReadFile(b.r.LogOf(o.ID))
	if !bytes.Contains(log, []byte("the password is ***")) {
		t.Errorf("the log says %s", log)
	}
	_ = filepath.WalkDir(b.o.Folder, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !strings.HasSuffix(path, ".tfstate") {
			if data, _ := os.ReadFile(path); bytes.Contains(data, []byte(planted)) {
				t.Errorf("%s holds the secret", path)
			}
		}
		return nil
	})
	none := order(1, 1, 1)
	if _, err := b.r.Begin(t.Context(), none); err == nil || !strings.Contains(err.Error(), "no projects") {
		t.Errorf("no projects: %v", err)
	}
	if _, err := b.r.Begin(t.Context(), order(1, 1, 1, "../x")); err == nil || !strings.Contains(err.Error(), "no folder within") {
		t.Errorf("outside: %v", err)
	}
}
