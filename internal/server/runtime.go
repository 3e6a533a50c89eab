package server

import (
	"os"
	"runtime/debug"
)

// frugal lets a server that watches clusters keep less garbage: it computes little and
// pictures tens of thousands of objects anew whenever one of them changes. A set GOGC
// is left alone.
func frugal() {
	const percent = 40
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}
