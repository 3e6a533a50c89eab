package lategc

import (
	"os"
	"os/exec"
	"testing"
)

// TestTheFirstCollectionIsLate asks a process of its own: here others have collected already.
func TestTheFirstCollectionIsLate(t *testing.T) {
	if os.Getenv("MUSTER_LATEGC") == "" {
		alone(t, "GOGC=")
		return
	}
	if got := percent(); got != 400 { // of a heap of 4 MB: 16 MB
		t.Fatalf("at the start the percentage is %d, want 400", got)
	}
}

// A set GOGC is left alone, at the start and by Collect.
func TestASetGOGCStays(t *testing.T) {
	if os.Getenv("MUSTER_LATEGC") == "" {
		alone(t, "GOGC=50")
		return
	}
	if Collect(40, 32<<20); percent() != 50 {
		t.Errorf("the percentage is %d, want the 50 that was set", percent())
	}
}

// alone runs the test in a process of its own.
func alone(t *testing.T, env string) {
	t.Helper()
	again := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.timeout", "1m")
	again.Env = append(os.Environ(), "MUSTER_LATEGC=1", env)
	if out, err := again.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// percent is the one in force; to read it changes nothing.
func percent() int { return int(metric("/gc/gogc:percent")) }
