package bench

import (
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// gangs counts what becomes of the gangs of the year, and of the promises to them.
type gangs struct {
	y        *updateYear
	ours     bool // what is decided now takes a node for an update
	of       map[uint64]*gang
	next     map[string]func() // what follows a gang that has ended, by name
	backed   map[string]int    // nodes that back each account
	missing  int               // nodes that grants are short of
	at       fleet.Instant
	unbacked float64
	tally    updateTally
}

// gang is one of them.
type gang struct {
	gpus    int
	runs    bool
	since   fleet.Instant // since when it runs, or stands still
	planned bool          // an update stopped it
}

func newGangs(y *updateYear) gangs {
	return gangs{y: y, of: map[uint64]*gang{}, next: map[string]func(){}, backed: map[string]int{}, at: y.now}
}

// hear takes note of a record, and of the state after it.
func (g *gangs) hear(r event.Record) error {
	g.tally.records++
	var done []event.VisitMoved
	g.y.Read(func(s *fleet.State) {
		takes, fails := g.ours, false
		for _, e := range r.Events {
			switch e := e.(type) {
			case event.NodeChanged:
				takes = takes || e.To == fleet.Maintenance
				fails = fails || e.To != fleet.Maintenance && !e.To.Usable()
			case event.NodeLeaving:
				takes = takes || e.Leaving
			case event.ReplicasLost:
				g.interrupted(e.ID, r.At, g.ours)
			case event.ReplicasEvicted:
				g.interrupted(e.ID, r.At, false)
			case event.GangReturned:
				g.interrupted(e.ID, r.At, e.Stop)
			case event.VisitMoved:
				done = append(done, e)
			}
		}
		g.settle(s, r)
		g.promises(s, r.At, takes && !fails)
	})
	for _, e := range done {
		if err := g.y.visited(e.Visit); err != nil {
			return err
		}
	}
	return nil
}

// interrupted counts a gang that stops running, once, by who stopped it first.
func (g *gangs) interrupted(id uint64, at fleet.Instant, planned bool) {
	x := g.of[id]
	if x == nil {
		return
	}
	if !x.runs {
		x.planned = x.planned || planned // it stopped anyway, and waits for visits now
		return
	}
	ran := at.Sub(x.since)
	g.tally.worked += float64(x.gpus) * ran.Hours()
	x.runs, x.planned, x.since = false, planned, at
	if !planned {
		g.tally.failures++
		return
	}
	g.tally.stops++
	g.tally.lost += float64(x.gpus) * (ran % gangSaves).Hours()
}

// settle looks at the gangs that a record is about: which of them run, and which have ended.
func (g *gangs) settle(s *fleet.State, r event.Record) {
	for _, e := range r.Events {
		var id uint64
		switch e := e.(type) {
		case event.ReplicasPlaced:
			id = e.ID
		case event.ReplicasStarted:
			id = e.ID
		case event.WorkloadFinished:
			id = e.ID
		default:
			continue
		}
		w := s.Workloads[id]
		if w == nil {
			continue
		}
		x := g.of[id]
		if x == nil {
			x = &gang{gpus: 8 * w.Pools[0].Min}
			g.of[id] = x
		}
		switch {
		case w.State.Ended():
			if x.runs {
				g.tally.worked += float64(x.gpus) * r.At.Sub(x.since).Hours()
			}
			delete(g.of, id)
			if follow := g.next[w.Name]; follow != nil {
				delete(g.next, w.Name)
				follow()
			}
		case w.State == fleet.RunningW && !x.runs:
			if x.planned {
				g.tally.lost += float64(x.gpus) * r.At.Sub(x.since).Hours()
			}
			x.runs, x.planned, x.since = true, false, r.At
		}
	}
}

// promises counts the quotas that are backed by less, where a node was taken for an update.
func (g *gangs) promises(s *fleet.State, at fleet.Instant, taken bool) {
	g.unbacked += float64(g.missing) * at.Sub(g.at).Hours()
	g.at, g.missing = at, 0
	for _, p := range s.Partitions {
		for _, a := range p.Accounts {
			n, key := a.BackedNodes(), p.ID+" "+a.Quota
			if taken && n < g.backed[key] {
				g.tally.broken++
			}
			g.backed[key] = n
			g.missing += a.GrantNodes() - n
		}
	}
}

func (g *gangs) sum(t *updateTally, end fleet.Instant) {
	for _, x := range g.of {
		switch {
		case x.runs:
			g.tally.worked += float64(x.gpus) * end.Sub(x.since).Hours()
		case x.planned:
			g.tally.lost += float64(x.gpus) * end.Sub(x.since).Hours()
		}
	}
	t.stops, t.lost, t.failures, t.broken, t.unbacked, t.worked, t.records = g.tally.stops, g.tally.lost, g.tally.failures, g.tally.broken, g.unbacked, g.tally.worked, g.tally.records
}
