package server

import (
	"os"
	"runtime"
	"runtime/debug"
)

// spareThread lets a server run one goroutine more at a time than there are cores. Two of two
// may be busy with pages and the collector's marking, each for as long as 10 ms before Go takes
// its turn away; a decision that comes back from the disk meanwhile would wait so long. With
// one more the kernel decides, and gives who has waited a core at once. A set GOMAXPROCS
// is left alone. back takes it away again.
func spareThread() (back func()) {
	if os.Getenv("GOMAXPROCS") != "" {
		return func() {}
	}
	was := runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
	return func() { runtime.GOMAXPROCS(was) }
}

// frugal lets a server that watches clusters keep less garbage: it computes little and
// pictures tens of thousands of objects anew whenever one of them changes. A set GOGC
// is left alone.
func frugal() {
	const percent = 40
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}
