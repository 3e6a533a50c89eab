package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// faulty is a core with a mistake: it panics in the middle of a step when work goes to a partition.
func faulty(partition string) stepper {
	return func(s *fleet.State, r core.Request, now fleet.Instant) (core.Outcome, *core.Refusal) {
		out, no := core.Step(s, r, now)
		for _, w := range s.Workloads {
			if w.Where == partition && s.Partition(partition).Halted() == "" {
				panic("index out of range")
			}
		}
		return out, no
	}
}

func submit(name, quota string) core.Request {
	return core.Request{Actor: core.System, Reason: "test", Command: core.Submit{Spec: fleet.Spec{
		Name: name, Namespace: "n", Target: quota, Priority: fleet.Mid,
		Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: 1, Max: 1, Reach: fleet.ReachAny}},
	}}}
}

func TestAPanicInTheCoreHaltsThatPartitionDurably(t *testing.T) {
	j := memory.New()
	e, err := Open(t.Context(), Options{Journal: j})
	if err != nil {
		t.Fatal(err)
	}
	do := func(r core.Request) error { _, err := e.Do(t.Context(), r); return err }
	build := core.Batch{}
	for _, gpu := range []string{"a", "b"} {
		p := "c/" + gpu
		if gpu == "a" {
			build.Commands = append(build.Commands, core.AddCluster{Name: "c"})
		}
		build.Commands = append(build.Commands, core.AddPartition{Cluster: "c", GPU: gpu},
			core.AddIslands{Partition: p, Islands: []core.NewIsland{{Name: "i", Nodes: 8}}},
			core.CreateQuota{Path: gpu}, core.SetGrant{Quota: gpu, Partition: p, GPUs: 32})
	}
	if err := do(core.Request{Command: build, Actor: core.System, Reason: "test"}); err != nil {
		t.Fatal(err)
	}
	e.step = faulty("c/a")
	var no *core.Refusal
	if err := do(submit("bad", "a")); !errors.As(err, &no) || !strings.Contains(no.Message, "mistake of Muster's") || !strings.Contains(no.Message, "c/a") {
		t.Fatalf("what makes the core panic gives %v", err)
	}
	if err := errors.Join(do(submit("good", "b")), do(submit("waits", "a"))); err != nil {
		t.Fatalf("everything else stops, too: %v", err)
	}
	check := func(e *Engine) {
		t.Helper()
		e.Read(func(s *fleet.State) {
			if s.Partition("c/a").Halted() == "" || s.Partition("c/b").Halted() != "" {
				t.Errorf("halted are %q and %q, want the first alone", s.Partition("c/a").Halted(), s.Partition("c/b").Halted())
			}
			if s.Workload("n", "bad") != nil || s.Workload("n", "good").State != fleet.RunningW || s.Workload("n", "waits").State != fleet.Pending {
				t.Errorf("the refused workload is %v; the others are %v and %v", s.Workload("n", "bad"), s.Workload("n", "good").State, s.Workload("n", "waits").State)
			}
		})
	}
	check(e)
	_ = e.Close()
	if e, err = Open(t.Context(), Options{Journal: j}); err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	check(e)
	reset := core.Request{Command: core.ResetBreaker{Partition: "c/a"}, Actor: core.System}
	if err := do(reset); !errors.As(err, &no) || no.Code != core.ReasonNeeded {
		t.Errorf("without a reason the reset gives %v", err)
	}
	reset.Reason = "a new version is installed"
	if err := do(reset); err != nil {
		t.Fatal(err)
	}
	e.Read(func(s *fleet.State) {
		if w := s.Workload("n", "waits"); w.State != fleet.RunningW {
			t.Errorf("after the reset the workload that waited is %v", w.State)
		}
	})
}

// What panics whatever is halted is refused, and halts nothing.
func TestACommandThatIsAMistakeByItselfHaltsNothing(t *testing.T) {
	e, err := Open(t.Context(), Options{Journal: memory.New()})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	e.step = func(s *fleet.State, r core.Request, now fleet.Instant) (core.Outcome, *core.Refusal) {
		if _, bad := r.Command.(core.CreateQuota); bad {
			s.NextID = 99 // in the middle of something
			panic("nil map")
		}
		return core.Step(s, r, now)
	}
	var no *core.Refusal
	for range 2 {
		if _, err := e.Do(t.Context(), core.Request{Command: core.CreateQuota{Path: "q"}, Actor: core.System}); !errors.As(err, &no) {
			t.Fatalf("it gives %v", err)
		}
	}
	res, err := e.Do(t.Context(), core.Request{Command: core.AddCluster{Name: "c"}, Actor: core.System})
	if err != nil || res.Seq != 1 {
		t.Errorf("the next command gives %+v, %v", res, err)
	}
	e.Read(func(s *fleet.State) {
		if s.NextID != 1 {
			t.Error("what the panic left behind is still in the state")
		}
	})
}
