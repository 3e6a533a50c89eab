package simulate

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
)

// peakMemory is the most memory, in bytes, that this process has had resident,
// or, where the system does not tell, what the Go runtime has taken from it.
func peakMemory() int64 {
	if kib, ok := highWater(); ok {
		return kib << 10
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys)
}

// highWater reads Linux's VmHWM, in KiB.
func highWater() (kib int64, ok bool) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, false
	}
	_, rest, found := bytes.Cut(status, []byte("VmHWM:"))
	fields := bytes.Fields(rest)
	if !found || len(fields) == 0 {
		return 0, false
	}
	kib, err = strconv.ParseInt(string(fields[0]), 10, 64)
	return kib, err == nil
}
