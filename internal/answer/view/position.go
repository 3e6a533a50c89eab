package view

import (
	"sort"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// positions fills in whose turn comes when: the place in the queue of the quota,
// or in the order of flex; the best one, where a workload waits in several partitions.
func positions(s *fleet.State, rows []Workload) {
	waiting := map[uint64]*Workload{}
	in := map[string]map[string]bool{} // partitions that they asked for ("": none), by target
	for i := range rows {
		if rows[i].State != fleet.Pending {
			continue
		}
		waiting[rows[i].ID] = &rows[i]
		w := s.Workloads[rows[i].ID]
		if in[w.Target] == nil {
			in[w.Target] = map[string]bool{}
		}
		in[w.Target][w.Partition] = true
	}
	if len(waiting) == 0 {
		return
	}
	for _, p := range s.Partitions {
		asked := func(target string) bool { return in[target][""] || in[target][p.ID] }
		for _, queue := range queues(p, asked) {
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

// queues are the queues of those targets that are asked for.
func queues(p *fleet.Partition, asked func(target string) bool) [][]fleet.Waiting {
	var list [][]fleet.Waiting
	if asked(fleet.Flex) {
		list = append(list, flexOrder(p))
	}
	for _, a := range p.Accounts {
		if asked(a.Quota) {
			list = append(list, a.Queue())
		}
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
	sort.SliceStable(lines, func(i, j int) bool { return lines[i].used < lines[j].used })
	for len(lines) > 0 {
		first, others := lines[0], lines[1:]
		order = append(order, first.queue[0])
		first.used += first.queue[0].Workload.NeedsBase()
		if first.queue = first.queue[1:]; len(first.queue) == 0 {
			lines = others
			continue
		}
		k := sort.Search(len(others), func(i int) bool { return others[i].used >= first.used })
		copy(lines, others[:k])
		lines[k] = first
	}
	return order
}
