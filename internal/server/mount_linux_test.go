package server

import (
	"os"
	"sync"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// canMount says whether this process may mount file systems.
var canMount = sync.OnceValue(func() bool {
	dir, err := os.MkdirTemp("", "muster-mount-")
	if err != nil {
		return false
	}
	defer os.Remove(dir)
	if syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k") != nil {
		return false
	}
	return syscall.Unmount(dir, 0) == nil
})

// tmpfs FOLDER SIZE makes a small disk.
func mountTmpfs(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	ts.Check(syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+args[1]))
	ts.Defer(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
}

// frozen FOLDER makes a folder that no user can write to.
func freeze(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	if os.Getuid() != 0 {
		ts.Check(os.Chmod(dir, 0o555))
		ts.Defer(func() { _ = os.Chmod(dir, 0o755) })
		return
	}
	ts.Check(syscall.Mount(dir, dir, "", syscall.MS_BIND, ""))
	ts.Defer(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	ts.Check(syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_BIND|syscall.MS_RDONLY, ""))
}
