package siege

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// ticks are the kernel's units of processor time, on all that Muster is built for.
const ticks = 100

// processor is the processor time that a process used so far; 0 where the system does not say.
func processor(pid int) time.Duration {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(data), ") ") // the name of the program is in brackets
	col := strings.Fields(rest)
	if len(col) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(col[11], 10, 64) // the kernel writes numbers
	system, _ := strconv.ParseInt(col[12], 10, 64)
	return time.Duration(user+system) * time.Second / ticks
}

// used is how many processors each side of a siege had while it was measured.
type used struct {
	began time.Time
	of    map[int]time.Duration // processor time that a process had before
}

// watchProcessors begins to count for some processes.
func watchProcessors(pids ...int) used {
	u := used{began: time.Now(), of: map[int]time.Duration{}}
	for _, pid := range pids {
		u.of[pid] = processor(pid)
	}
	return u
}

// cores is how many of them a process had since; it still runs.
func (u used) cores(pid int) float64 {
	return max(0, (processor(pid)-u.of[pid]).Seconds()/time.Since(u.began).Seconds())
}
