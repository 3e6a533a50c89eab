package gate

import (
	"runtime"
	"sync/atomic"
)

// mostAside is how many threads give way at a time: each costs the system some memory, and a process has only so many.
const mostAside = 64

// aside is how many there are.
var aside atomic.Int32

// Aside does something on a thread of its own that gives way: where other threads want the processor, it has a tenth. Go
// shares the processor out in turns of 10 ms and knows no ranks; the kernel does. It returns once fn has, and panics with
// what fn panics with. A thread costs some 50 µs, so it is for what takes long, or whose caller has had their share. Where there are many already it does it as usual.
func Aside(fn func()) {
	defer aside.Add(-1)
	if aside.Add(1) > mostAside {
		fn()
		return
	}
	over := make(chan any)
	go func() {
		defer func() { over <- recover() }()
		runtime.LockOSThread() // never unlocked: a thread cannot be preferred again, so it ends with the goroutine
		giveWay()
		fn()
	}()
	if broke := <-over; broke != nil {
		panic(broke)
	}
}
