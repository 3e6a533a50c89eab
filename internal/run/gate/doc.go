// Package gate bounds what connections cost a listener before anything is known of who
// opened them: how many there are of one address and in all, and how long a body may take.
//
// connections.go counts connections. One more than may be closes the oldest silent one,
// so that a flood of silent connections keeps no other caller out. handler.go gives bodies
// and answers a time. Both know nothing of what is served. lend.go lets a call that holds a
// place, as a page does while it is made, give it to others while something makes the call wait, and pause.go is that wait.
// stack.go gives a call the stack that it needs at once.
// certificate.go reads a certificate again when its files are renewed.
// threads.go has a server run more goroutines at a time than there are cores, so that the kernel shares them out.
// aside.go does what may wait on threads that give way to all others, and there as usual what others wait for.
// busy.go counts how long a goroutine has a processor, which is what it costs others.
// strain.go measures whether what could go on waits for the processor, and how much a caller may have of it then.
// garbage.go measures how much of the processor the collection of garbage takes.
package gate
