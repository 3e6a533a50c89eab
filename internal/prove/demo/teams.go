package demo

import (
	_ "embed"
	"time"

	"github.com/muster-fleet/muster/internal/answer/fleetfile"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

//go:embed fleet.yaml
var fleetFile []byte

// Fleet is the demo's fleet.
func Fleet() (fleetfile.File, error) {
	return fleetfile.Parse("the demo's fleet", fleetFile, fleetfile.Options{})
}

// team is people who share a namespace and submit to one target.
type team struct {
	namespace, user, target string
	limit                   int // GPUs that they ask for at once, at most
	kinds                   []kind
}

// kind is a kind of workload.
type kind struct {
	name     string
	weight   int // how often, relative to the team's others
	priority fleet.Priority
	median   time.Duration // of the run time
	saves    time.Duration // between checkpoints; 0: never
	declares bool          // says how long it may run
	pools    []shape
}

// shape is a pool whose size is drawn: least to most replicas. An elastic one
// has least as its min and most as its max.
type shape struct {
	name        string
	least, most int
	gpus        int
	rank        int
	elastic     bool
}

// The kinds of workloads.
var (
	pretrain = kind{"pretrain", 3, fleet.High, 9 * time.Minute, 2 * time.Minute, true, []shape{{name: "trainer", least: 6, most: 8, gpus: 8}}}
	ablation = kind{"ablation", 4, fleet.Mid, 5 * time.Minute, 2 * time.Minute, true, []shape{{name: "trainer", least: 1, most: 3, gpus: 8}}}
	rl       = kind{"rl", 3, fleet.High, 7 * time.Minute, time.Minute, false, []shape{
		{name: "trainer", least: 2, most: 3, gpus: 8}, {name: "grader", least: 2, most: 12, gpus: 1, rank: 1, elastic: true},
	}}
	eval  = kind{"eval", 5, fleet.Mid, 3 * time.Minute, 0, true, []shape{{name: "eval", least: 2, most: 16, gpus: 1, elastic: true}}}
	serve = kind{"serve", 2, fleet.Critical, 12 * time.Minute, 0, false, []shape{{name: "engine", least: 2, most: 6, gpus: 4, elastic: true}}}
	probe = kind{"probe", 4, fleet.Low, 2 * time.Minute, 0, true, []shape{{name: "probe", least: 1, most: 4, gpus: 2, elastic: true}}}
	sweep = kind{"sweep", 4, fleet.Mid, 4 * time.Minute, time.Minute, true, []shape{{name: "w", least: 1, most: 4, gpus: 8}}}
	notes = kind{"notebook", 2, fleet.Low, 8 * time.Minute, 0, false, []shape{{name: "w", least: 1, most: 1, gpus: 1}}}
	soak  = kind{"soak", 1, fleet.Low, 6 * time.Minute, 30 * time.Second, false, []shape{{name: "w", least: 4, most: 40, gpus: 1, elastic: true}}}
)

// teams are all who work on the fleet. Those in quotas ask for somewhat more than
// they have, so that there is always something that waits.
var teams = []team{
	{"oak", "mia", "research/pretraining/oak", 150, []kind{pretrain, ablation}},
	{"elm", "jonas", "research/pretraining/elm", 120, []kind{pretrain, ablation, eval}},
	{"post", "ada", "research/posttraining", 160, []kind{rl, ablation, eval}},
	{"evals", "lin", "research/evals", 80, []kind{eval, sweep}},
	{"search", "omar", "product/search", 90, []kind{serve, sweep, eval}},
	{"assistant", "ruth", "product/assistant", 100, []kind{serve, rl, ablation}},
	{"red", "kofi", "safety/red", 60, []kind{probe, sweep}},
	{"interp", "sara", "safety/interp", 40, []kind{probe, sweep, notes}},
	{"birch", "noor", fleet.Flex, 90, []kind{sweep, notes}},
	{"cedar", "emil", fleet.Flex, 90, []kind{sweep, eval}},
	{"fir", "yuki", fleet.Flex, 60, []kind{soak, notes}},
	{"hazel", "tom", fleet.Flex, 60, []kind{eval, probe}},
	{"maple", "ines", fleet.Flex, 120, []kind{sweep, soak}},
	{"rowan", "paul", fleet.Flex, 40, []kind{probe, notes}},
}

// The workload that is known to wait: its gang is larger than any island.
const (
	MoonshotNamespace = "oak"
	Moonshot          = "moonshot"
)

func moonshot() fleet.Spec {
	return fleet.Spec{
		Name: Moonshot, Namespace: MoonshotNamespace, User: "mia", Target: "research/pretraining/oak", Priority: fleet.High, Grace: fleet.DefaultGrace,
		Pools: []fleet.Pool{{Name: "trainer", GPUs: 8, Min: 20, Max: 20, Reach: fleet.ReachIsland}},
	}
}
