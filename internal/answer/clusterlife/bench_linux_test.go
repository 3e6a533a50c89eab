package clusterlife_test

import (
	"cmp"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/muster-fleet/muster/internal/answer/clusterlife"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// BenchmarkBoard looks at a thousand clusters of one account, in all phases, as the board does.
func BenchmarkBoard(b *testing.B) {
	y := newYard(b)
	for b.Loop() {
		if list := clusterlife.All(y.s, y.now); len(list) != 1000 {
			b.Fatal(len(list))
		}
	}
}

// BenchmarkLook looks at one of them, as its page does.
func BenchmarkLook(b *testing.B) {
	y := newYard(b)
	l := y.s.Life("c0003")
	for b.Loop() {
		clusterlife.Of(y.s, l, y.now)
	}
}

// BenchmarkReport decides about reports of operations of a thousand clusters, one after the other:
// each is begun, fails, and is tried again. Its p50 and p99 are in time of the processor, so that
// they say the same on a busy machine.
func BenchmarkReport(b *testing.B) {
	y := newYard(b)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		c, reports := y.next(i)
		if !reports {
			continue
		}
		y.now = y.now.Add(time.Minute)
		began := worked()
		_, refusal := core.Step(y.s, core.Request{Command: c, Actor: core.System}, y.now)
		took = append(took, worked()-began)
		if refusal != nil {
			b.Fatal(refusal)
		}
	}
	slices.SortFunc(took, cmp.Compare)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
	b.ReportMetric(float64(took[len(took)-1].Microseconds()), "most-µs")
}

// next is the next report of one of the clusters, where it has an operation under way.
func (y *yard) next(i int) (core.ReportOperation, bool) {
	l := y.s.Lives[i%800]
	at := slices.IndexFunc(l.Steps, func(s fleet.StepState) bool { return s.Operation.Live() })
	if at < 0 {
		return core.ReportOperation{}, false
	}
	c := core.ReportOperation{Cluster: l.Record.Name, Step: l.Steps[at].Step, ID: l.Steps[at].Operation.ID, State: fleet.OperationRunning}
	if l.Steps[at].Operation.State == fleet.OperationRunning {
		c.State, c.Class, c.Error, c.After = fleet.OperationFailed, fleet.ErrorWait, "AllocationFailed: try later", time.Second
	}
	return c, true
}

// worked is how long the processor has worked for this thread.
func worked() time.Duration {
	var of unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &of); err != nil {
		panic(err)
	}
	return time.Duration(of.Nano())
}
