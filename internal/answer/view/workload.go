package view

import (
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Workload is one workload. Why it waits is asked of package explain.
type Workload struct {
	Workload  string              `json:"workload"`
	Namespace string              `json:"namespace"`
	ID        uint64              `json:"id"`
	User      string              `json:"user"`
	Target    string              `json:"target"`
	Partition string              `json:"partition"` // where it stands, or the only one it asked for
	Priority  fleet.Priority      `json:"priority"`
	State     fleet.WorkloadState `json:"state"`
	Holds     string              `json:"holds"`
	GPUs      int                 `json:"gpus"`    // held or reserved
	Islands   []string            `json:"islands"` // in order of name
	Nodes     []string            `json:"nodes"`   // in order of name
	Pools     map[string]int      `json:"pools"`   // replicas now
	Evictions int                 `json:"evictions"`
	Stops     int                 `json:"stops"` // times that maintenance stopped it
	Mends     int                 `json:"mends"`
	Submitted fleet.Instant       `json:"submitted"`
	Started   fleet.Instant       `json:"started"`  // 0: it does not run
	Ended     fleet.Instant       `json:"ended"`    // 0: it has not ended
	Waited    time.Duration       `json:"waited"`   // all the time it has not run, up to now
	Position  int                 `json:"position"` // its turn in its queue, from 1; 0: it does not wait
}

// Workloads lists all workloads that the state knows, in order of submission.
func Workloads(s *fleet.State, now fleet.Instant) []Workload {
	ids := make([]uint64, 0, len(s.Workloads))
	for id := range s.Workloads {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	rows := make([]Workload, len(ids))
	for i, id := range ids {
		rows[i] = workloadRow(s.Workloads[id], now)
	}
	positions(s, rows)
	return rows
}

// WorkloadsOf are the rows of some workloads.
func WorkloadsOf(s *fleet.State, list []*fleet.Workload, now fleet.Instant) []Workload {
	rows := make([]Workload, len(list))
	for i, w := range list {
		rows[i] = workloadRow(w, now)
	}
	positions(s, rows)
	return rows
}

// WorkloadOf is one workload's row.
func WorkloadOf(s *fleet.State, w *fleet.Workload, now fleet.Instant) Workload {
	rows := []Workload{workloadRow(w, now)}
	positions(s, rows)
	return rows[0]
}

func workloadRow(w *fleet.Workload, now fleet.Instant) Workload {
	row := Workload{
		Workload: w.Name, Namespace: w.Namespace, ID: w.ID, User: w.User, Target: w.Target,
		Partition: w.Partition, Priority: w.Priority, State: w.State, Holds: w.HeldAs().String(), GPUs: w.GPUs(),
		Evictions: int(w.Evictions), Stops: int(w.Stops), Mends: int(w.Mends), Submitted: w.Submitted, Started: w.Started, Ended: w.Ended,
		Waited: waited(w, now), Pools: map[string]int{}, Islands: []string{}, Nodes: []string{},
	}
	for i, pool := range w.Pools {
		row.Pools[pool.Name] = len(w.Replicas[i])
	}
	if p := w.At(); p != nil {
		row.Partition = p.ID
		row.stand(p, w)
	}
	return row
}

// stand lists where the workload's replicas are.
func (row *Workload) stand(p *fleet.Partition, w *fleet.Workload) {
	for _, replicas := range w.Replicas {
		for _, r := range replicas {
			n := p.Nodes[r.Node]
			row.Nodes = append(row.Nodes, n.Name)
			row.Islands = append(row.Islands, p.Islands[n.Island].Name)
		}
	}
	row.Nodes, row.Islands = distinct(row.Nodes), distinct(row.Islands)
}

func distinct(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

func waited(w *fleet.Workload, now fleet.Instant) time.Duration {
	if w.State == fleet.Pending || w.State == fleet.Starting || w.State == fleet.Mending {
		return w.Waited + now.Sub(w.PendingSince)
	}
	return w.Waited
}
