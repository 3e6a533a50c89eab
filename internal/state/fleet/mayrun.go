package fleet

// May says whether a workload may run in a partition, by what it says itself: the
// partition that it names, and the cluster it was seen on.
func (s *Spec) May(p *Partition) bool {
	if s.Partition != "" && s.Partition != p.ID {
		return false
	}
	home := s.Home()
	return home == "" || home == p.Cluster
}

// MayStandIn says whether a workload may stand in a partition: it may run there, and its quota
// has a grant there, or it targets flex. Queues, placement, explanations and
// forecasts ask this; the invariants recount it by themselves.
func (w *Workload) MayStandIn(p *Partition) bool {
	if w.Flexes() {
		return w.May(p)
	}
	a := p.accounts[w.Target]
	return a != nil && !a.Ending && w.May(p)
}
