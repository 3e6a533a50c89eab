package lategc

import (
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"testing"
)

// TestTheFirstCollectionIsLateAndTheNextAreNot asks a process of its own: here others have collected already.
func TestTheFirstCollectionIsLateAndTheNextAreNot(t *testing.T) {
	if os.Getenv("MUSTER_LATEGC") == "" {
		again := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.timeout", "1m")
		again.Env = append(os.Environ(), "MUSTER_LATEGC=1", "GOGC=")
		if out, err := again.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	if got := percent(); got != late {
		t.Fatalf("at the start the percentage is %d, want %d", got, late)
	}
	runtime.GC()
	for percent() != usual { // a cleanup runs soon after the collection; the test's own time bounds it
		runtime.Gosched()
	}
}

// A percentage that was chosen is left alone, at the start and after the first collection.
func TestAChosenPercentageStays(t *testing.T) {
	if begin("50") {
		t.Error("a set GOGC was not left alone")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(40))
	if end(); percent() != 40 {
		t.Errorf("the percentage is %d, want the 40 that was chosen", percent())
	}
}

// percent is the one in force; to read it changes nothing.
func percent() int { return int(metric("/gc/gogc:percent")) }
