package server

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes this test binary be muster too: scripts and the kill test run
// it as processes of their own.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"muster": func() { os.Exit(Main()) }})
}
