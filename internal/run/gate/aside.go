package gate

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// mostAside is how many threads give way at a time: each costs the system some memory, and a process has only so many.
const mostAside = 64

// aside is how many there are; threads are those, by the kernel's number, with the time that others have worked for them.
var (
	aside   atomic.Int32
	threads sync.Map // int to *time.Duration
)

// Aside does something on a thread of its own that gives way: where other threads want the processor, it has a tenth. Go
// shares the processor out in turns of 10 ms and knows no ranks; the kernel does. It returns once fn has, and panics with
// what fn panics with. A thread costs some 50 µs, so it is for what takes long, or whose caller has had their share. Where
// there are many already it does it as usual.
func Aside(fn func()) {
	defer aside.Add(-1)
	if aside.Add(1) > mostAside {
		fn()
		return
	}
	apart(func() {
		runtime.LockOSThread() // never unlocked: a thread cannot be preferred again, so it ends with the goroutine
		giveWay()
		if id := thread(); id > 0 {
			threads.Store(id, new(time.Duration))
			defer threads.Delete(id)
		}
		fn()
	})
}

// Usual does something as others do it, though the calling thread may give way: what holds a lock that others wait for.
// They would wait until the thread has had a processor, of which it has a tenth. What it takes counts for the calling
// thread, as Busy counts.
func Usual(fn func()) {
	worked := workedFor()
	if worked == nil {
		fn()
		return
	}
	apart(func() {
		took := Busy()
		defer func() { *worked += took() }()
		fn()
	})
}

// GivesWay says whether the calling thread gives way to others.
func GivesWay() bool { return workedFor() != nil }

// workedFor is how long others have worked for the calling thread; nil: it does not give way.
func workedFor() *time.Duration {
	if aside.Load() == 0 {
		return nil
	}
	worked, _ := threads.Load(thread())
	of, _ := worked.(*time.Duration)
	return of
}

// apart does something on a goroutine of its own, waits until it is over, and panics with what it panics with.
func apart(fn func()) {
	over := make(chan any)
	go func() {
		defer func() { over <- recover() }()
		fn()
	}()
	if broke := <-over; broke != nil {
		panic(broke)
	}
}
