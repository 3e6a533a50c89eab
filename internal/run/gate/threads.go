package gate

import (
	"os"
	"runtime"
	"sync"
)

// spare is how many goroutines more a server may run at a time than there are cores. Two of two may be busy with pages
// and the collector's marking, each for as long as 10 ms before Go takes its turn away, and nothing then asks which
// connections have something to read. With some more the kernel decides, and gives what has waited a core at once. One more
// was not enough beside a caller who keeps four busy: submissions beside it took 60 ms at p99 with one, and 40 ms with three.
const spare = 3

// Cores is on how many cores a program may run, as Go finds it at the start.
var Cores = sync.OnceValue(func() int { return runtime.GOMAXPROCS(0) })

// SpareThreads lets a program run some goroutines more at a time than there are cores. A set GOMAXPROCS is left alone. back
// takes them away again.
func SpareThreads() (back func()) {
	cores := Cores()
	if os.Getenv("GOMAXPROCS") != "" {
		return func() {}
	}
	runtime.GOMAXPROCS(cores + spare)
	return func() { runtime.GOMAXPROCS(cores) }
}
