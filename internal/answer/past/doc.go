// Package past is what the fleet remembers: how healthy it was, how fast it was
// repaired, which promises held, what work was lost, and which waited for what.
//
// A Book hears every record of the log in order (book.go) and keeps sums of it;
// live, replayed from the journal and in tests it is one and the same code. To
// say of a record what it meant, it applies it to a state of its own.
//
//	series.go    sums by the hour, then by the day, then by the month
//	grain.go     the sums of one grain, side by side; older.go how they were written before
//	meter.go     figures that stand for a time: GPUs × time
//	nodes.go     nodes: their states, and what is not usable of them, by cause
//	episodes.go  the times in which a node is out, and their stages
//	figures.go   partitions and quotas: what was promised, backed and used
//	promises.go  how many promises were kept, of those that the state judges
//	breaks.go    what broke promises: the moment, and the nodes
//	work.go      work: interrupted, undone, standing still, starting again
//	flex.go      how long work on flex ran undisturbed
//	gaps.go      times in which no server ran: they are left out
//	wait.go      which work waited, how much, and for which reason
//
// What people ask is answered in ask_*.go, a file for each question. The room is pure. docs/past.md says how
// long each is kept; the numbers are in series.go and episodes.go.
package past
