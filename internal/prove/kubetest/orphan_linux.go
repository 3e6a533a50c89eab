package kubetest

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// starts are programs to be started by one thread that never ends: Linux ends a child
// with the thread that started it, not with the process.
var starts = sync.OnceValue(func() chan<- func() {
	calls := make(chan func())
	go func() {
		runtime.LockOSThread()
		for call := range calls {
			call()
		}
	}()
	return calls
})

// startOwned starts a program that ends with this process, even one that is killed.
func startOwned(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	done := make(chan error)
	starts() <- func() { done <- cmd.Start() }
	return <-done
}
