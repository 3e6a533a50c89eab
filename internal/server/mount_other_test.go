//go:build !linux

package server

import (
	"os"

	"github.com/rogpeppe/go-internal/testscript"
)

func canMount() bool { return false }

func mountTmpfs(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("small disks are made on Linux only")
}

func freeze(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o555))
}
