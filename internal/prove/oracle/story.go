package oracle

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/state/text"
)

// Story is a scenario that can be written, changed and told.
type Story struct {
	Title, Why string // Why: a comment above it
	Buffer     string // share
	Clusters   []Cluster
	Quotas     []Granted
	Steps      []Step
}

// Cluster has one partition of GPU g.
type Cluster struct {
	Name    string
	PerNode int
	Islands []Island
}

// Island is some nodes in some racks.
type Island struct {
	Name         string
	Nodes, Racks int
}

// Granted is a quota with its grants, one for each partition.
type Granted struct {
	Path   string
	Grants []Grant
}

// Grant is GPUs in one partition.
type Grant struct {
	Partition  string
	GPUs, Gang int
}

// Step is one step: a submission, or what else happens, as it is written.
type Step struct {
	At     time.Duration
	Submit *Submit
	Kind   string // where Submit is nil
	Text   string
}

// Submit is a workload.
type Submit struct {
	Name, Space, Target, Partition, Priority string
	Runtime, MaxRuntime, Checkpoint, Grace   time.Duration // 0: not said
	Pools                                    []Pool
}

// Pool is one pool; Max is 0 for a gang.
type Pool struct {
	Name           string
	Min, Max, GPUs int
	Rank           int
	Reach          string
	Asks           string // of its nodes beside GPUs
}

// YAML writes the story as a scenario file.
func (s *Story) YAML() string {
	var b strings.Builder
	for _, line := range strings.Split(s.Why, "\n") {
		if line != "" {
			fmt.Fprintf(&b, "# %s\n", line)
		}
	}
	fmt.Fprintf(&b, "scenario: %q\npolicy: {buffer: {kind: fixed, share: %s}%s%s}\nclusters:\n", s.Title, s.Buffer, s.silence(), s.lead())
	for _, c := range s.Clusters {
		var islands []string
		for _, i := range c.Islands {
			racks := ""
			if i.Racks > 1 {
				racks = fmt.Sprintf(", racks: %d", i.Racks)
			}
			islands = append(islands, fmt.Sprintf("{name: %s, nodes: %d%s}", i.Name, i.Nodes, racks))
		}
		per := ""
		if c.PerNode != 8 {
			per = fmt.Sprintf(", gpusPerNode: %d", c.PerNode)
		}
		fmt.Fprintf(&b, "  - name: %s\n    partitions:\n      - {gpu: g%s, islands: [%s]}\n", c.Name, per, strings.Join(islands, ", "))
	}
	if len(s.Quotas) > 0 {
		b.WriteString("quotas:\n")
	}
	for _, q := range s.Quotas {
		var grants []string
		for _, g := range q.Grants {
			gang := ""
			if g.Gang > 0 {
				gang = fmt.Sprintf(", gang: %d", g.Gang)
			}
			grants = append(grants, fmt.Sprintf("{partition: %s, gpus: %d%s}", g.Partition, g.GPUs, gang))
		}
		fmt.Fprintf(&b, "  - {path: %s%s, grants: [%s]}\n", q.Path, s.owner(), strings.Join(grants, ", "))
	}
	b.WriteString("steps:\n")
	for _, step := range s.Steps {
		fmt.Fprintf(&b, "  - {at: %s, %s}\n", text.Duration(step.At), step.yaml())
	}
	return b.String()
}

// silence is the setting of a story in which reports stop: they are stale at once.
func (s *Story) silence() string {
	if slices.ContainsFunc(s.Steps, func(s Step) bool { return s.Kind == "stale" }) {
		return ", staleAfter: 0s"
	}
	return ""
}

// lead is the setting of a story with planned work: it is announced an hour ahead, so that it is done in time.
func (s *Story) lead() string {
	if slices.ContainsFunc(s.Steps, func(s Step) bool { return s.Kind == "rollout" || s.Kind == "maintenance" }) {
		return ", maintenance: {lead: 1h}"
	}
	return ""
}

// owner is the owner of a story's quotas: only a haircut asks for one.
func (s *Story) owner() string {
	if slices.ContainsFunc(s.Steps, func(s Step) bool { return s.Kind == "haircut" }) {
		return ", owner: ada"
	}
	return ""
}

func (s Step) yaml() string {
	if s.Submit == nil {
		return s.Kind + ": " + s.Text
	}
	w := s.Submit
	parts := []string{"name: " + w.Name, "namespace: " + w.Space, "target: " + w.Target}
	for _, f := range [][2]string{{"partition", w.Partition}, {"priority", w.Priority}} {
		if f[1] != "" {
			parts = append(parts, f[0]+": "+f[1])
		}
	}
	for _, f := range []struct {
		key string
		d   time.Duration
	}{{"runtime", w.Runtime}, {"maxRuntime", w.MaxRuntime}, {"checkpointEvery", w.Checkpoint}, {"grace", w.Grace}} {
		if f.d > 0 {
			parts = append(parts, f.key+": "+text.Duration(f.d))
		}
	}
	var pools []string
	for _, p := range w.Pools {
		pools = append(pools, p.yaml())
	}
	return "submit: {" + strings.Join(append(parts, "pools: ["+strings.Join(pools, ", ")+"]"), ", ") + "}"
}

func (p Pool) yaml() string {
	size := fmt.Sprintf("replicas: %d", p.Min)
	if p.Max > 0 {
		size = fmt.Sprintf("min: %d, max: %d", p.Min, p.Max)
	}
	text := fmt.Sprintf("{name: %s, %s, gpus: %d", p.Name, size, p.GPUs)
	if p.Rank > 0 {
		text += fmt.Sprintf(", rank: %d", p.Rank)
	}
	if p.Reach != "" {
		text += ", reach: " + p.Reach
	}
	if p.Asks != "" {
		text += ", asks: " + p.Asks
	}
	return text + "}"
}
