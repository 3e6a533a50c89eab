package bench

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// memory measures what a fleet's state takes: nodes first, then workloads on them.
func memory(ctx context.Context, o Options, _ string, r *Report) error {
	const nodes = 10_000
	o.say("memory")
	before := heap()
	e, err := newBusy(ctx, o, &forgetful{}, nodes)
	if err != nil {
		return err
	}
	defer e.Close()
	perNode := float64(heap()-before) / nodes * 1_000
	before = heap()
	if err := e.fill(ctx, false, patience); err != nil {
		return err
	}
	workloads := 0
	e.Read(func(s *fleet.State) { workloads = len(s.Workloads) })
	perWorkload := float64(heap()-before) / float64(max(1, workloads)) * 1_000
	r.add(Figure{Name: "memory per 1,000 nodes", Value: perNode / 1e6, Unit: "MB"})
	r.add(Figure{Name: "memory per 1,000 workloads", Value: perWorkload / 1e6, Unit: "MB"})
	return nil
}

// heap is the bytes in use after a collection.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// peak is the most memory that the process has had resident, in bytes, where the system says it.
func peak() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kib << 10
		}
	}
	return 0
}
