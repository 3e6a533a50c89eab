package chaos_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// Tests of this room make thousands of small fleets and drop them. With the usual garbage collection a fifth
// of their time goes into looking for what is left of them.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
