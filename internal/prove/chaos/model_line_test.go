package chaos_test

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A line joins a house and its clusters, in the weather that the script says.
// Orders travel slowly, but arrive in order, as the contract of a driver has it;
// reports are lost, late, doubled and overtake each other.
type line struct {
	h       *house
	weather weather
	orders  []order  // on their way to the clusters
	mail    []letter // on its way to the house, by due
	kept    []letter // of clusters whose reports do not come through
	posted  map[string]uint64
	number  uint64 // of the last letter
	read    uint64 // the highest number that has arrived
	truth   truth

	lost, late, doubled, overtaken, stale, again int
}

// weather is how bad a line is: percentages of reports, and the longest delays.
// Salt makes two stretches of the same weather differ.
type weather struct {
	Lost, Late, Doubled int
	Delay, Orders       time.Duration
	Salt                uint64
}

type order struct {
	due   fleet.Instant
	carry func(d driver.Driver, at fleet.Instant)
	check bool // it made something run
}

type letter struct {
	due    fleet.Instant
	number uint64
	report driver.Report
}

func newLine(h *house) *line {
	return &line{h: h, posted: map[string]uint64{}, truth: truth{}}
}

var _ driver.Driver = (*line)(nil)

func (l *line) order(check bool, carry func(d driver.Driver, at fleet.Instant)) {
	due := l.h.w.now
	if l.weather.Orders > 0 {
		due = due.Add(time.Duration(l.dice("order").Int64N(int64(l.weather.Orders))))
	}
	if n := len(l.orders); n > 0 {
		due = max(due, l.orders[n-1].due)
	}
	l.orders = append(l.orders, order{due, carry, check})
}

func (l *line) Run(_ fleet.Instant, job driver.Job, spots []fleet.Spot, mend bool) {
	l.order(true, func(d driver.Driver, at fleet.Instant) { d.Run(at, job, spots, mend) })
}

func (l *line) Stop(_ fleet.Instant, id uint64, spots []fleet.Spot, until fleet.Instant) {
	l.order(false, func(d driver.Driver, at fleet.Instant) { d.Stop(at, id, spots, until) })
}

func (l *line) Forget(_ fleet.Instant, id uint64, spots []fleet.Spot) {
	l.order(false, func(d driver.Driver, at fleet.Instant) { d.Forget(at, id, spots) })
}

func (l *line) Delete(_ fleet.Instant, id uint64) {
	l.order(false, func(d driver.Driver, at fleet.Instant) { d.Delete(at, id) })
}

func (l *line) Restate(_ fleet.Instant, stands driver.Standing) {
	l.again++
	l.order(true, func(d driver.Driver, at fleet.Instant) { d.Restate(at, stands) })
}

func (l *line) Resync(_ fleet.Instant, all []driver.Standing) {
	l.order(true, func(d driver.Driver, at fleet.Instant) { d.Resync(at, all) })
}

// hangUp forgets what a dying process had not said yet.
func (l *line) hangUp() { l.orders = nil }

// dice are the same for the nth thing of a kind in one weather, whatever else happens.
func (l *line) dice(kind string) *rand.Rand {
	l.posted[kind]++
	f := fnv.New64a()
	fmt.Fprint(f, kind, l.posted[kind])
	return rand.New(rand.NewPCG(l.weather.Salt, f.Sum64()))
}

// next is when the line brings something next, and what that does.
func (l *line) next() (at fleet.Instant, do func() *failure) {
	at = fleet.Never
	offer := func(due fleet.Instant, then func() *failure) {
		if due < at {
			at, do = due, then
		}
	}
	if len(l.orders) > 0 {
		offer(l.orders[0].due, l.deliver)
	}
	offer(l.h.cluster.Due(), l.collect)
	if len(l.mail) > 0 {
		offer(l.mail[0].due, l.open)
	}
	if slices.ContainsFunc(l.kept, func(x letter) bool { return !l.silent(x.report) }) {
		offer(l.h.w.now, l.release)
	}
	return at, do
}

// deliver hands the next order to the clusters.
func (l *line) deliver() *failure {
	o := l.orders[0]
	l.orders = l.orders[1:]
	o.carry(l.truth, l.h.w.now)
	o.carry(l.h.cluster, l.h.w.now)
	if !o.check {
		return nil
	}
	return l.truth.fits(l.h.w.s)
}

// collect puts what the clusters have to say into the mail.
func (l *line) collect() *failure {
	for _, r := range l.h.cluster.Take(l.h.w.now) {
		l.truth.happened(r)
		l.post(r)
	}
	return nil
}

// post sends a report, and the weather does with it what it does.
func (l *line) post(r driver.Report) {
	d := l.dice(about(r))
	if d.IntN(100) < l.weather.Lost {
		l.lost++
		return
	}
	l.send(r, d, d.IntN(100) < l.weather.Late)
	if d.IntN(100) < l.weather.Doubled {
		l.doubled++
		l.send(r, d, true)
	}
}

func (l *line) send(r driver.Report, d *rand.Rand, late bool) {
	due := l.h.w.now
	if late && l.weather.Delay > 0 {
		l.late++
		due = due.Add(time.Duration(1 + d.Int64N(int64(l.weather.Delay))))
	}
	l.number++
	l.insert(letter{due, l.number, r})
}

func (l *line) insert(x letter) {
	at, _ := slices.BinarySearchFunc(l.mail, x, func(a, b letter) int {
		return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.number, b.number))
	})
	l.mail = slices.Insert(l.mail, at, x)
}

func about(r driver.Report) string {
	switch {
	case r.Stopped != nil:
		return fmt.Sprint("stopped ", r.Stopped.ID)
	case r.Finished != nil:
		return fmt.Sprint("finished ", r.Finished.ID)
	}
	return fmt.Sprint("nodes ", r.Nodes.Names)
}

// open hands the next letter to the house.
func (l *line) open() *failure {
	x := l.mail[0]
	l.mail = l.mail[1:]
	if l.silent(x.report) {
		l.kept = append(l.kept, x)
		return nil
	}
	if x.number < l.read {
		l.overtaken++
	}
	l.read = max(l.read, x.number)
	c := engine.RequestOf(x.report).Command
	if fin, ok := c.(core.ReportFinished); ok {
		fin.Failed = fin.ID%5 == 0
		c = fin
	}
	if c, stops := c.(core.ReportStopped); stops && !l.awaited(c) {
		l.stale++
	}
	l.h.report = true
	f := l.h.w.request(c)
	l.h.report = false
	return f
}

// awaited says whether the house waits for any of what a report answers.
func (l *line) awaited(c core.ReportStopped) bool {
	v := l.h.w.s.Workloads[c.ID]
	if v == nil {
		return false
	}
	leaving := driver.TallyOf(v.Spots(isLeaving))
	found, _ := leaving.Take(c.Spots)
	return len(found) > 0
}

// silent says whether the cluster that reports is one whose reports do not come through.
func (l *line) silent(r driver.Report) bool {
	var p *fleet.Partition
	switch {
	case r.Stopped != nil:
		p = l.placeOf(r.Stopped.ID)
	case r.Finished != nil:
		p = l.placeOf(r.Finished.ID)
	default:
		for _, q := range l.h.w.s.Partitions {
			if _, ok := q.Node(r.Nodes.Names[0]); ok {
				p = q
			}
		}
	}
	return p != nil && l.h.w.s.Cluster(p.Cluster).Stale
}

func (l *line) placeOf(id uint64) *fleet.Partition {
	if v := l.h.w.s.Workloads[id]; v != nil {
		return v.At()
	}
	return nil
}

// release posts the reports of clusters that come through again.
func (l *line) release() *failure {
	kept := l.kept
	l.kept = nil
	for _, x := range kept {
		x.due = l.h.w.now
		l.insert(x)
	}
	return nil
}

// clear makes the weather fine; everything on its way arrives.
func (l *line) clear() {
	l.weather = weather{}
	for i := range l.orders {
		l.orders[i].due = min(l.orders[i].due, l.h.w.now)
	}
	for i := range l.mail {
		l.mail[i].due = min(l.mail[i].due, l.h.w.now)
	}
}
