package view

import (
	"sort"

	"github.com/muster-fleet/muster/internal/fleet"
)

// positions fills in whose turn comes when: the place in the queue of the quota,
// or in the order of flex; the best one, where a workload waits in several partitions.
func positions(s *fleet.State, rows []Workload) {
	waiting := map[uint64]*Workload{}
	for i := range rows {
		if rows[i].State == fleet.Pending {
			waiting[rows[i].ID] = &rows[i]
		}
	}
	if len(waiting) == 0 {
		return
	}
	for _, p := range s.Partitions {
		for _, queue := range queues(p) {
			place(queue, waiting)
		}
	}
}

func place(queue []fleet.Waiting, waiting map[uint64]*Workload) {
	for i, it := range queue {
		row := waiting[it.Workload.ID]
		if row != nil && it.Pool == fleet.Base && (row.Position == 0 || i+1 < row.Position) {
			row.Position = i + 1
		}
	}
}

func queues(p *fleet.Partition) [][]fleet.Waiting {
	list := [][]fleet.Waiting{flexOrder(p)}
	for _, a := range p.Accounts {
		list = append(list, a.Queue())
	}
	return list
}

// flexOrder is the order in which flex would serve what waits, if all of it had
// room: always the namespace with the least flex next.
func flexOrder(p *fleet.Partition) []fleet.Waiting {
	type line struct {
		used  int
		queue []fleet.Waiting
	}
	var lines []*line
	for _, name := range p.Namespaces() {
		if f := p.FlexOf(name); f.Waits() > 0 {
			lines = append(lines, &line{f.Staying, f.Queue()})
		}
	}
	var order []fleet.Waiting
	for len(lines) > 0 {
		sort.SliceStable(lines, func(i, j int) bool { return lines[i].used < lines[j].used })
		first := lines[0]
		order = append(order, first.queue[0])
		first.used += first.queue[0].Workload.NeedsBase()
		if first.queue = first.queue[1:]; len(first.queue) == 0 {
			lines = lines[1:]
		}
	}
	return order
}
