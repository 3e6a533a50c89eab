package bench

import "fmt"

// Peer is what another project publishes, or was measured to do, about the same case.
type Peer struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Unit   string  `json:"unit"`
	Of     string  `json:"of"`     // what its figure counts: what ours leaves out stands here
	Source string  `json:"source"` // where it is published, or how it was measured
}

func (p Peer) String() string { return fmt.Sprintf("%s: %g %s", p.Name, p.Value, p.Unit) }

// against sets a figure beside a peer's. Times less of a time says how many times
// less; figures of other units stand beside each other without a ratio.
func against(f Figure, p Peer) Figure {
	f.Peer = &p
	if ours, theirs := inSeconds(f.Value, f.Unit), inSeconds(p.Value, p.Unit); ours > 0 && theirs > 0 {
		f.Ratio, f.To = theirs/ours, "peer's ÷ ours"
	} else if f.Unit == p.Unit && p.Value > 0 {
		f.Ratio, f.To = f.Value/p.Value, "ours ÷ peer's"
	}
	return f
}

// inSeconds is a time in seconds; 0: it is not one.
func inSeconds(value float64, unit string) float64 {
	switch unit {
	case "s":
		return value
	case "ms":
		return value / 1e3
	case "µs":
		return value / 1e6
	}
	return 0
}

// What Kueue publishes of its own scheduler's performance.
const (
	kueueSource = "kubernetes-sigs/kueue test/performance/scheduler/configs"
	kueueOf     = "whole system in the cluster's time: minimal Kueue with an API server, its client limited to 50 writes/s"
)

func kueuePeer(value float64, unit, what string) Peer {
	return Peer{"Kueue", value, unit, what, kueueSource}
}

// kueueHere is what the same test did on 2 cores.
func kueueHere(value float64, unit, what string) Peer {
	return Peer{"Kueue", value, unit, what, "Kueue's own test, run on 2 cores with a real API server, its client limited to 50 writes/s"}
}

// kaiPeer is a figure of KAI-Scheduler's scale tests.
func kaiPeer(seconds float64) Peer {
	return Peer{"KAI", seconds, "s", "whole system: 500 KWOK nodes × 8 GPUs behind an API server", "KAI-Scheduler test/e2e/scale, its results in docs/scale-tests"}
}

// kaiHere is KAI-Scheduler's own benchmark without a cluster.
func kaiHere(seconds float64, nodes int) Peer {
	return Peer{"KAI", seconds, "s", fmt.Sprintf("like for like: its scheduler in process on 2 cores, %d nodes", nodes), "KAI-Scheduler's own Go benchmark of reclaim for a large job, run on 2 cores"}
}
