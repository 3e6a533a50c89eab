package siege

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// memory reads a figure of the server's process, in bytes; 0 where the system does not say.
func (f *fort) memory(name string) int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", f.process.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(data) {
		if rest, ok := strings.CutPrefix(string(line), name+":"); ok {
			kb, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64) // the kernel writes a number
			return kb << 10
		}
	}
	return 0
}

// forgetPeak begins the peak of the server's memory anew, where the system can do so.
func (f *fort) forgetPeak() {
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", f.process.Process.Pid), []byte("5"), 0)
}

// watchMemory gives the peak of the server's memory until ctx ends.
func (f *fort) watchMemory(ctx context.Context) <-chan int64 {
	peak := make(chan int64, 1)
	f.forgetPeak()
	go func() {
		<-ctx.Done()
		peak <- f.memory("VmHWM")
	}()
	return peak
}
