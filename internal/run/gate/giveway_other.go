//go:build !linux

package gate

// giveWay does nothing: how one thread gives way to the others of its process is known on Linux only.
func giveWay() {}

// thread is the number of the calling thread; 0: not known.
func thread() int { return 0 }
