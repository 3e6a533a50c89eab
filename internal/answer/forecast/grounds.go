package forecast

import (
	"slices"
	"sort"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// restsOn lists what had to happen on a path before a workload started, what
// made room last first: its trigger, and all ends and returns where it stands.
func (f *forecast) restsOn(p *path, id uint64) []Ground {
	w := p.s.Workloads[id]
	var list []Ground
	for i := len(p.causes) - 1; i >= 0 && len(list) < MaxGrounds; i-- {
		c := p.causes[i]
		if g, ok := f.ground(p, c, i == len(p.causes)-1, w); ok && !slices.Contains(list, g) {
			list = append(list, g)
		}
	}
	return list
}

// ground is what a cause means for a workload; ok is false if nothing.
func (f *forecast) ground(p *path, c cause, trigger bool, w *fleet.Workload) (g Ground, ok bool) {
	g = Ground{At: c.at}
	switch {
	case c.tick:
		return f.timely(g, c, w), trigger
	case c.what == visited:
		g.Kind, g.Name, g.GPUs = Visited, c.in.Nodes[c.id].Name, c.in.Nodes[c.id].GPUs
		return g, trigger || c.in == w.At()
	case c.what == returns:
		g.Kind, g.Name, g.GPUs = Repair, c.in.Nodes[c.id].Name, c.in.Nodes[c.id].GPUs
		return g, trigger || c.in == w.At()
	}
	x := f.base.Workloads[c.id]
	g.Name, g.GPUs = name(x), max(x.GPUs(), x.NeedsBase())
	switch {
	case c.what == leaves:
		g.Kind = Grace
		return g, trigger || x.For == w.ID
	case x.State == fleet.RunningW:
		g.Kind, g.By = RunTime, x.Started.Add(x.MaxRuntime)
	default:
		g.Kind = Queued
	}
	return g, trigger || f.shares(p, x, w)
}

// shares says whether the end of one workload makes room that the other may
// use: they stand in the same partition, and draw on the same GPUs.
func (f *forecast) shares(p *path, x, w *fleet.Workload) bool {
	return p.lives[x.ID].where == w.Where && (w.Flexes() || x.Tree() == w.Tree())
}

// timely names what time alone brought to a workload's partition.
func (f *forecast) timely(g Ground, c cause, w *fleet.Workload) Ground {
	g.Kind = FlexMinimum
	if c.at == w.RestsUntil() || c.at == w.SparesUntil() {
		g.Kind, g.Name, g.GPUs = Rest, name(w), 0
	}
	for _, e := range c.events {
		switch e := e.(type) {
		case event.NodeChanged:
			return Ground{Kind: Probation, Name: e.Node, At: c.at}
		case event.BackingAligned:
			if e.Partition == w.Where {
				g.Kind = Dwell
			}
		case event.GrantEnded:
			g.Kind, g.Name, g.GPUs = GrantEnd, e.Quota, e.Ended.GPUs
		case event.HoldEnded:
			g.Kind = HoldExpiry
			g.Name, g.GPUs = f.holdOf(e.ID)
		}
	}
	return g
}

func (f *forecast) holdOf(id uint64) (quota string, gpus int) {
	for _, h := range f.base.Holds {
		if h.ID == id {
			return h.Quota, h.GPUs
		}
	}
	return "", 0
}

// why says what is in the way for an unknown time. It is tried: with it gone the
// workload starts.
func (f *forecast) why(id uint64) Answer {
	for n := range f.starts[id] {
		if f.starts[id][n] != fleet.Never {
			continue
		}
		p, how := f.path(f.drawn(n), f.asked, false)
		if how == tooFar {
			return f.tooFar()
		}
		return f.blame(p, p.s.Workloads[id])
	}
	return f.tooFar()
}

// blame ends what has no known end, first what draws on the same GPUs, then all
// of it, then brings all nodes back; what it took is to blame.
func (f *forecast) blame(p *path, w *fleet.Workload) Answer {
	for _, near := range []bool{true, false} {
		if list := p.endless(w, near); len(list) > 0 && p.without(list) {
			return limited(list)
		}
	}
	if list := p.broken(w); len(list) > 0 && p.with(list) {
		return limited(list)
	}
	return unknown(Ground{Kind: NothingAhead})
}

func limited(list []Ground) Answer {
	sort.Slice(list, func(i, j int) bool {
		if list[i].GPUs != list[j].GPUs {
			return list[i].GPUs > list[j].GPUs
		}
		return list[i].Name < list[j].Name
	})
	n := min(len(list), MaxGrounds)
	return Answer{Unknown: list[:n], More: len(list) - n}
}

// endless lists the running work without a known end where w may stand.
func (p *path) endless(w *fleet.Workload, near bool) []Ground {
	var list []Ground
	for _, x := range p.s.Workloads {
		l := p.lives[x.ID]
		if l == nil || !l.runs || l.known || !slices.Contains(places(p.s, w), x.At()) || near && x.Tree() != w.Tree() {
			continue
		}
		g := Ground{Kind: NoMaximum, Name: name(x), GPUs: x.GPUs()}
		if x.MaxRuntime > 0 {
			g.Kind, g.By = Overran, x.Started.Add(x.MaxRuntime)
		}
		list = append(list, g)
	}
	return list
}

// without ends workloads, lets the path go on, and says whether all asked about started.
func (p *path) without(list []Ground) bool {
	named := map[string]bool{}
	for _, g := range list {
		named[g.Name] = true
	}
	var ids []uint64
	for id, x := range p.s.Workloads {
		if named[name(x)] && p.lives[id] != nil && p.lives[id].runs {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		p.step(core.ReportFinished{ID: id}, cause{})
	}
	return p.live() == started
}

// broken lists the nodes that are out of service where w may stand.
func (p *path) broken(w *fleet.Workload) []Ground {
	var list []Ground
	for _, in := range places(p.s, w) {
		for _, n := range in.Nodes {
			if n.State.InRepair() || n.State == fleet.Suspect || n.State == fleet.Maintenance {
				list = append(list, Ground{Kind: NoRepairTime, Name: n.Name, GPUs: n.GPUs})
			}
		}
	}
	return list
}

// with brings nodes back.
func (p *path) with(list []Ground) bool {
	names := make([]string, len(list))
	for i, g := range list {
		names[i] = g.Name
	}
	p.step(core.SetNodes{Names: names, State: fleet.Healthy, Signal: "forecast"}, cause{})
	return p.live() == started
}
