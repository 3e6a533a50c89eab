package fleet

import (
	"cmp"
	"slices"
	"strings"
)

// Targeting lists the workloads that have not ended and target a quota, or one below
// it, or flex, in order of ID. It costs what stands and waits there, not what the fleet
// remembers.
func (s *State) Targeting(target string) []*Workload {
	var people []*Workload
	for _, w := range s.nowhere {
		people = append(people, w)
	}
	for _, p := range s.Partitions {
		if target == Flex {
			people = p.flexWorkloads(people)
			continue
		}
		for _, a := range p.Accounts {
			if under(a.Quota, target) {
				people = a.workloads(people)
			}
		}
	}
	return slices.DeleteFunc(eachOnce(people), func(w *Workload) bool { return w.State.Ended() || !under(w.Target, target) })
}

// under says whether a quota is another one or stands below it.
func under(path, root string) bool {
	return path == root || strings.HasPrefix(path, root+"/")
}

// flexWorkloads adds the workloads that stand on flex in the partition, or wait for it there.
func (p *Partition) flexWorkloads(list []*Workload) []*Workload {
	list = append(list, p.flexWork...)
	for _, u := range p.flex {
		list = u.queue.workloads(list)
	}
	return list
}

// workloads adds the workloads that stand in the account, or wait for it.
func (a *Account) workloads(list []*Workload) []*Workload {
	return a.queue.workloads(append(list, a.work...))
}

func (q *queue) workloads(list []*Workload) []*Workload {
	for it := range q.all.each() {
		list = append(list, it.Workload)
	}
	return list
}

// eachOnce sorts workloads by ID, and leaves out those that are there twice.
func eachOnce(list []*Workload) []*Workload {
	slices.SortFunc(list, func(a, b *Workload) int { return cmp.Compare(a.ID, b.ID) })
	return slices.Compact(list)
}
