package chaos_test

import (
	"fmt"
	"sort"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// happening is something that the clusters, or time, bring by themselves.
type happening struct {
	at  fleet.Instant
	do  core.Command
	act func() *failure // instead of a command: the line of a house brings something
}

// mostEvictions is how many evictions may follow one line of a script. The work
// of a random fleet is a few dozen workloads, and each goes a few times at most.
const mostEvictions = 200

// passTime lets everything happen that is due up to a moment: victims are gone
// when their grace ends, workloads end when they have run, and alarms ring.
func (w *world) passTime(until fleet.Instant) *failure {
	for evictions := w.kinds["replicas.evicted"]; ; {
		if n := w.kinds["replicas.evicted"] - evictions; n > mostEvictions {
			return &failure{rule: "evictions come to an end", detail: fmt.Sprintf("%d evictions without a new event from outside", n)}
		}
		next, ok := w.nextHappening()
		if !ok || next.at > until {
			return nil
		}
		w.now = max(w.now, next.at)
		if f := w.happens(next); f != nil {
			return f
		}
	}
}

func (w *world) happens(next happening) *failure {
	if next.act != nil {
		return next.act()
	}
	if _, tick := next.do.(core.Tick); !tick {
		w.sent = append(w.sent, next.do)
	}
	return w.request(next.do)
}

func (w *world) nextHappening() (happening, bool) {
	best, found := happening{}, false
	offer := func(at fleet.Instant, c core.Command) {
		if at != fleet.Never && (!found || at < best.at) {
			best, found = happening{at: at, do: c}, true
		}
	}
	offer(w.s.NextAlarm(), core.Tick{})
	if w.house != nil {
		if at, act := w.house.line.next(); act != nil && (!found || at <= best.at) {
			return happening{at: at, act: act}, true
		}
		return best, found
	}
	for _, v := range w.active() {
		if c := w.s.Cluster(v.At().Cluster); c.Stale {
			continue // its reports do not come through
		}
		if leaving := v.Spots(isLeaving); len(leaving) > 0 {
			offer(v.GraceEnds, core.ReportStopped{ID: v.ID, Spots: leaving})
		}
		if runs := w.runs[v.Namespace+"/"+v.Name]; runs > 0 && v.State == fleet.RunningW {
			offer(v.Started.Add(runs), core.ReportFinished{ID: v.ID, Failed: v.ID%5 == 0})
		}
	}
	return best, found
}

func isLeaving(r fleet.Replica) bool { return r.Phase == fleet.Leaving }

// active lists the workloads that stand somewhere, by ID.
func (w *world) active() []*fleet.Workload {
	var list []*fleet.Workload
	for _, v := range w.s.Workloads {
		if v.At() != nil {
			list = append(list, v)
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].ID < list[j].ID })
	return list
}

// open lists the workloads that have not ended, by ID.
func (w *world) open() []*fleet.Workload {
	var list []*fleet.Workload
	for _, v := range w.s.Workloads {
		if !v.State.Ended() {
			list = append(list, v)
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].ID < list[j].ID })
	return list
}
