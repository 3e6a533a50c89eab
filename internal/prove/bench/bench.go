package bench

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Bench measures something.
type Bench struct {
	Name  string
	Short string // what it measures
	Run   func(ctx context.Context, o Options) (Report, error)
}

// All lists the benches. A new one is added here.
func All() []Bench {
	return []Bench{
		{"submit", "commands per second beside raw SQLite, waits for a decision, memory, seconds to restart", submit},
		{"growth", "how the cost of a decision grows with nodes and waiting workloads", growth},
		{"signals", "a million signals, with storms and a monitor gone mad: per second in memory and durable, and what follows", signals},
		{"mend", "a node's failure to the mended plan, at 1,000 to 100,000 nodes", mend},
		{"kueue-baseline", "Kueue's own performance test: 15,000 workloads of 30 quotas that borrow and evict", kueueBaseline},
		{"kueue-large", "Kueue's large-scale test: 50,000 workloads of 1,000 quotas", kueueLarge},
		{"kai-fill", "500 nodes filled with 4,000 workloads of one GPU", kaiFill},
		{"kai-gang", "one gang of 512 replicas on 500 nodes", kaiGang},
		{"kai-unschedulable", "a gang of 80 GPUs that cannot start, and why, with 4,000 workloads running", kaiUnschedulable},
		{"kai-reclaim", "room by eviction: one GPU, and gangs of half of the nodes and of all, among workloads of one GPU", kaiReclaim},
		{"kai-consolidate", "room for 41 gangs of 10 nodes where a workload of one GPU stands on every node", kaiConsolidate},
		{"fleet", "a day of 200 clusters with 800,000 GPUs: decisions, why, memory, restart", wholeFleet},
		{"pages", "200 open pages over 800,000 GPUs that change 50 times a second: first byte, size, what they cost, and what decisions wait", openPages},
		{"churn", "24 crowds that ask 60 nodes for 1.4 times what they have: needless evictions, idle room, utilisation", churn},
		{"siege", "200 people and 50 programs beside one hostile caller: what they wait, memory, and what each of its requests costs alone", besieged},
		{"updates", "a year of 24 updates on 1,000 nodes: by Muster, in nightly windows, one node at a time", yearOfUpdates},
		{"planner", "planned work on 10,000 nodes with 50 rollouts: the next visit, a dry run, and submissions beside it", planner},
		{"past", "a year of 10,000 nodes: its size, and how soon its past answers", remember},
	}
}

// Options of a run.
type Options struct {
	Dir      string            // folder on the disk to measure; "": the one for temporary files
	Keep     string            // folder in which the bench fleet leaves its journal, for a server to begin with; "": none
	From     string            // folder with such a journal, with which the bench pages begins; "": it makes one
	Quick    bool              // a tenth of the work
	Seed     uint64            // of everything drawn at random
	Lasts    time.Duration     // of each part of the bench siege; 0: a minute
	Program  string            // the muster binary that the bench siege starts; "": its figures are left out
	Remote   Remote            // nil: figures over the API are left out
	Pages    Pages             // nil: figures of the pages are left out
	Progress func(what string) // may be nil
}

func (o Options) say(format string, args ...any) {
	if o.Progress != nil {
		o.Progress(fmt.Sprintf(format, args...))
	}
}

// scaled is how much of the full work is done.
func (o Options) scaled(n int) int {
	if o.Quick {
		return max(1, n/10)
	}
	return n
}

// Remote serves an engine over the API on this machine.
type Remote func(e *engine.Engine) (Server, error)

// Server is an engine that can be reached over the API.
type Server interface {
	// Dial is one more client with connections of its own.
	Dial() Caller
	Close() error
}

// Caller gives commands about workloads and returns once they are acknowledged.
type Caller interface {
	Submit(ctx context.Context, spec fleet.Spec) error
	Cancel(ctx context.Context, namespace, name string) error
}

// Report is what a bench found.
type Report struct {
	Bench   string   `json:"bench"`
	Recipe  string   `json:"recipe,omitempty"` // what is done, so that others can do the same
	Machine Machine  `json:"machine"`
	Quick   bool     `json:"quick,omitempty"`
	Seed    uint64   `json:"seed"`
	Figures []Figure `json:"figures"`
	Curves  []Curve  `json:"curves,omitempty"`  // how figures grow, for a picture
	Remarks []string `json:"remarks,omitempty"` // what one should know to read them
}

// Figure is one measured value, and what it is compared with.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Ratio float64 `json:"ratio,omitempty"` // of the value to another figure
	To    string  `json:"to,omitempty"`    // that other figure; "": there is none
	Aim   string  `json:"aim,omitempty"`
	Met   bool    `json:"met,omitempty"`
	Peer  *Peer   `json:"peer,omitempty"`  // what another project says of the same
	Cores float64 `json:"cores,omitempty"` // that the process had meanwhile: other programs may have had the rest
}

// Machine is where figures were measured.
type Machine struct {
	Cores int    `json:"cores"`
	CPU   string `json:"cpu,omitempty"`
	Go    string `json:"go"`
	OS    string `json:"os"`
}

func (m Machine) String() string {
	cpu := m.CPU
	if cpu == "" {
		cpu = "a CPU of unknown name"
	}
	return fmt.Sprintf("%d cores (%s), %s, %s", m.Cores, cpu, m.OS, m.Go)
}

// ThisMachine is the machine that the program runs on.
func ThisMachine() Machine {
	return Machine{runtime.GOMAXPROCS(0), cpu(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
}

// cpu is the processor's name where the system says it.
func cpu() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			return strings.TrimSpace(strings.TrimLeft(name, "\t :"))
		}
	}
	return ""
}

// engineOnly is what every figure of a decision says of itself.
func (r *Report) engineOnly() {
	r.remark("Decision engine only, in process, %d cores.", r.Machine.Cores)
}
