package siege

import (
	"os"
	"strconv"
	"syscall"
)

// gives is by how much less the foe is preferred than who started it: where both want a processor, it
// has a tenth.
const gives = 10

// giveWay has all threads of this process, and those that they start, take the processor only where
// others leave it. A thread may come while it looks, so it looks until all have it.
func giveWay() {
	is, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
	if err != nil {
		return
	}
	nice := min(19, 20-is+gives) // the kernel says 20 less than it is told
	for range 3 {
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return
		}
		for _, task := range tasks {
			if id, err := strconv.Atoi(task.Name()); err == nil {
				_ = syscall.Setpriority(syscall.PRIO_PROCESS, id, nice) // a thread may have ended
			}
		}
	}
}
