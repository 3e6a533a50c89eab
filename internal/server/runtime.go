package server

// How much garbage may stand beside what is used until it is collected, in percent.
const (
	// Of a server: a caller who asks for all that is costly has it hold several states at once, and each counts once more as
	// garbage. With Go's usual 100 % such a caller cost 430 MB at 30,000 workloads, and others waited as long.
	serverGarbage = 70
	// Of a server or agent that watches clusters: it computes little, and pictures tens of thousands of objects anew whenever
	// one of them changes.
	watcherGarbage = 40
)

// smallHeap is the size of a heap up to which no garbage is collected. Of a watcher of 1,000 pods a third of its
// processor time went into collecting a few megabytes, while the API server beside it wanted the processor.
const smallHeap = 64 << 20
