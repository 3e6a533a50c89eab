package lategc

import (
	"os"
	"runtime"
	"runtime/debug"
)

// Percents of GOGC: the runtime's own, and one that puts the first collection at 16 MB.
const (
	usual = 100
	late  = 400
)

var _ = begin(os.Getenv("GOGC"))

// begin says whether it put the first collection off.
func begin(gogc string) bool {
	if gogc != "" {
		return false
	}
	debug.SetGCPercent(late)
	runtime.AddCleanup(new([16]byte), func(int) { end() }, 0) // runs after the first collection
	return true
}

// end goes back to the usual, unless a percentage was chosen since.
func end() {
	if chosen := debug.SetGCPercent(usual); chosen != late {
		debug.SetGCPercent(chosen)
	}
}
