package tofu

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// endLeftovers ends what earlier tries of a run have left behind. The program itself ends with the server, but what it has
// started, as a provisioner's shell, does not; beside a new try it would do the same work twice. A process is known by the
// mark in its environment, so only one that takes the mark away outlives this.
func endLeftovers(ctx context.Context, mark string) {
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for {
		list := marked(mark)
		for _, pid := range list {
			_ = syscall.Kill(pid, syscall.SIGKILL) // one that has ended meanwhile is what is wanted
		}
		if len(list) == 0 {
			return
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return
		}
	}
}

// marked lists the processes that bear the mark. Those of other users cannot be read, and are not ours.
func marked(mark string) (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		env, err := os.ReadFile(file)
		if err != nil || !hasMark(env, mark) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

func hasMark(env []byte, mark string) bool {
	for one := range bytes.SplitSeq(env, []byte{0}) {
		if string(one) == markName+"="+mark {
			return true
		}
	}
	return false
}
