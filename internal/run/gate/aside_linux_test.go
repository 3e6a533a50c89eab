package gate

import (
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
)

// nice is by how much less the kernel prefers this thread than a usual one.
func nice(t *testing.T) int {
	t.Helper()
	is, err := syscall.Getpriority(syscall.PRIO_PROCESS, syscall.Gettid())
	if err != nil {
		t.Fatal(err)
	}
	return 20 - is
}

// What is done aside gives way by the kernel's own ranks. What is done afterwards does not, nor what it starts.
func TestWhatIsDoneAsideGivesWay(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	usual := nice(t)
	for range 20 {
		aside, started := 0, make(chan int)
		Aside(func() {
			aside = nice(t)
			go func() {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				started <- nice(t)
			}()
			if is := <-started; is != usual {
				t.Errorf("what is started aside has %d, want %d as usual", is, usual)
			}
		})
		if want := min(19, usual+gives); aside != want {
			t.Errorf("aside the thread has %d, want %d", aside, want)
		}
		if is := nice(t); is != usual {
			t.Fatalf("afterwards the thread has %d, want %d", is, usual)
		}
	}
}

// What others wait for is done as usual aside, too, and counts for the thread that gives way.
func TestWhatOthersWaitForIsDoneAsUsual(t *testing.T) {
	const much = 30 * time.Millisecond
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	usual := nice(t)
	Aside(func() {
		took, is, broke := Busy(), 0, any(nil)
		Usual(func() {
			is = nice(t)
			for end := processorTime() + much; processorTime() < end; {
			}
		})
		if is != usual {
			t.Errorf("it has %d, want %d as usual", is, usual)
		}
		if worked := took(); worked < much {
			t.Errorf("%v are counted, want %v", worked, much)
		}
		func() {
			defer func() { broke = recover() }()
			Usual(func() { panic("broken") })
		}()
		if broke != "broken" {
			t.Errorf("the caller recovers %v", broke)
		}
	})
	at := syscall.Gettid()
	Usual(func() {
		if syscall.Gettid() != at {
			t.Error("a thread that does not give way has it done by another")
		}
	})
}

// A panic aside is the caller's, who knows what to do about it: on a goroutine of its own it would end the server.
func TestAPanicAsideIsTheCallers(t *testing.T) {
	defer func() {
		if broke := recover(); broke != "broken" {
			t.Errorf("the caller recovers %v", broke)
		}
	}()
	Aside(func() { panic("broken") })
	t.Error("the call went on")
}

// Threads that give way are bounded: beyond that a call is answered as usual.
func TestThreadsAsideAreBounded(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	usual, begun, end := nice(t), make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	for range mostAside {
		all.Go(func() {
			Aside(func() {
				begun <- struct{}{}
				<-end
			})
		})
		<-begun
	}
	Aside(func() {
		if is := nice(t); is != usual {
			t.Errorf("beyond %d threads one more has %d, want %d as usual", mostAside, is, usual)
		}
	})
	close(end)
	all.Wait()
	Aside(func() {
		if is := nice(t); is == usual && usual < 19 {
			t.Error("once they have ended nothing gives way any more")
		}
	})
}
