//go:build !linux

package siege

// giveWay does nothing: how a process gives way to others is known on Linux only. The foe then takes
// processor time from the server where both run on one machine.
func giveWay() {}
