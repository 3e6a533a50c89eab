package gate

import "syscall"

// gives is by how much less a thread aside is preferred than its process.
const gives = 10

// giveWay has this thread, which was none that gives way before, take the processor only where others leave it.
func giveWay() {
	if is, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0); err == nil {
		_ = syscall.Setpriority(syscall.PRIO_PROCESS, thread(), min(19, 20-is+gives)) // the kernel says 20 less than it is told
	}
}

// thread is the kernel's number of the calling thread.
func thread() int { return syscall.Gettid() }
