package gate

import "runtime"

// Aside does something on a thread of its own that gives way: where other threads want the processor, it has a tenth. Go
// shares the processor out in turns of 10 ms and knows no ranks; the kernel does. It returns once fn has, and panics with
// what fn panics with. A thread costs some 50 µs, so it is for what takes long, or whose caller has had their share.
func Aside(fn func()) {
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
