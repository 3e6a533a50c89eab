package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// tick is Linux's unit of processor time.
const tick = 10 * time.Millisecond

// cpuOf is the time that a process has computed.
func cpuOf(pid int) time.Duration {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(data), ") ") // the name before it may have spaces
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * tick
}

// peakOf is the most memory that a process has had, in bytes.
func peakOf(pid int) int {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(data)) {
		if value, is := strings.CutPrefix(line, "VmHWM:"); is {
			kilobytes, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
			return kilobytes << 10
		}
	}
	return 0
}

// load is that of the machine, of the last minute.
func load() float64 {
	data, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(data), " ")
	n, _ := strconv.ParseFloat(first, 64)
	return n
}

// machine says on what it was measured.
func machine() string {
	return fmt.Sprintf("%d cores, %s", runtime.NumCPU(), time.Now().UTC().Format("2006-01-02"))
}
