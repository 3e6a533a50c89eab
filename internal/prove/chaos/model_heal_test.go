package chaos_test

import (
	"fmt"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// healing is how long a healed fleet may take to come to rest: work that ends
// does so in hours, and the longest dwell and grace are far below a day or two.
const healing = 30 * 24 * time.Hour

// heal repairs everything: the weather is fine, all reports come through, all
// nodes are healthy. Then the fleet must come to rest, with nothing left to do.
func (w *world) heal() *failure {
	h := w.house
	h.dies = lives
	h.line.clear()
	for _, c := range w.s.Clusters {
		if f := w.request(core.ResumeReports{Cluster: c.Name}); f != nil {
			return f
		}
	}
	if f := w.passTime(w.now); f != nil {
		return f
	}
	if f := w.repair(); f != nil {
		return f
	}
	h.resync()
	still, stirs := w.now, w.stirs()
	for end := w.now.Add(healing); w.now < end; w.now = w.now.Add(time.Hour) {
		if f := w.passTime(w.now); f != nil {
			return f
		}
		if n := w.stirs(); n != stirs {
			still, stirs = w.now, n
		}
		if _, more := w.nextHappening(); !more || w.learns() && w.now.Sub(still) > stillness {
			return w.atRest()
		}
	}
	next, _ := w.nextHappening()
	return &failure{rule: "a healed fleet comes to rest", detail: fmt.Sprintf("after %v %T is still to come at %v", healing, next.do, next.at.Time())}
}

// stillness is how long nothing but promises has changed where a fleet that learns is at
// rest: longer than any dwell, probation or run that a story knows. It looks at
// every full hour whether it may promise another number, for ever.
const stillness = 50 * time.Hour

// stirs counts events that are more than another number promised.
func (w *world) stirs() (events int) { return w.events - w.kinds["backing.aligned"] }

// learns says whether some buffer in force learns.
func (w *world) learns() bool {
	for _, p := range w.s.Partitions {
		for i := range p.Islands {
			if w.s.BufferFor(p, i).Learns() {
				return true
			}
		}
	}
	return false
}

func (w *world) repair() *failure {
	c := core.SetNodes{State: fleet.Healthy, Signal: "healed"}
	for _, p := range w.s.Partitions {
		for _, n := range p.Nodes {
			if n.State != fleet.Healthy {
				c.Names = append(c.Names, n.Name)
			}
		}
	}
	if len(c.Names) == 0 {
		return nil
	}
	return w.request(c)
}

// atRest asks what must hold where nothing is on its way any more.
func (w *world) atRest() *failure {
	if f := w.idle(); f != nil {
		return f
	}
	for _, v := range w.open() {
		if v.State != fleet.Pending && v.State != fleet.RunningW {
			return &failure{rule: "at rest work runs or waits", detail: fmt.Sprintf("%s/%s is %s%s", v.Namespace, v.Name, v.State, w.partitionsText())}
		}
	}
	if f := w.house.line.truth.agrees(w.s); f != nil {
		return f
	}
	for _, l := range []law{privateClusters, flexIsNotLeftIdle, everyPendingHasAReason, loneBorrowersRun} {
		if f := l(w, nil, core.Outcome{}); f != nil {
			return f
		}
	}
	return w.house.rise(lives, nil)
}

func (w *world) partitionsText() (text string) {
	for _, p := range w.s.Partitions {
		text += "\n  " + p.ID + partitionText(p)
	}
	return text
}
