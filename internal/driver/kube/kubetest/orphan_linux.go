package kubetest

import (
	"os/exec"
	"syscall"
)

// noOrphan lets a program end with whoever started it, even one that was killed.
func noOrphan(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
