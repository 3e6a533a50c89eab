package past

import (
	"slices"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Notes is what a Book has gathered: all of it is kept when the process ends, and
// can be gathered again from the log.
type Notes struct {
	Seq        uint64 // records heard
	At         int64  // moment of the last one
	Nodes      map[string]*NodeLife
	Episodes   []Episode           // over, in order of their end
	Faded      map[string]*Faded   // episodes too old to be kept one by one
	Islands    map[string]*Meter   // by partition/island
	Partitions map[string]*Meter   // by partition
	Quotas     map[string]*Meter   // by partition, a space, and the quota's path
	Promises   map[string]Promises // by partition: what was counted already
	Breaks     []Break             // of promises, in order of their moments
	Jobs       map[uint64]*Job
	Losses     map[string]*Meter // by partition, a space, and the cause
	Waits      map[uint64]Waiter
	Waited     map[string]*Meter // see waitKey
	Asked      map[string]Reason // reasons of groups of work, until askAgain forgets them: since the last full hour
	AskedAt    int64             // when they began to be asked anew
	Again      []uint64          // those for which that is still to be done, in order
	Gaps       []Window          // in which no server ran, in order
	Runs       map[string][]Run  // on flex, by partition, in order of their end
}

// Book remembers what a log says. It must not be read while it is written.
type Book struct {
	Notes
	state    *fleet.State
	draining map[string]bool // quarantined nodes that work still holds
	seen     map[*fleet.Partition]bool
	texts    map[string]string // see text
}

// New is a book of an empty log.
func New() *Book {
	return open(Notes{
		Nodes: map[string]*NodeLife{}, Faded: map[string]*Faded{}, Islands: map[string]*Meter{}, Partitions: map[string]*Meter{},
		Quotas: map[string]*Meter{}, Promises: map[string]Promises{}, Jobs: map[uint64]*Job{}, Losses: map[string]*Meter{},
		Waits: map[uint64]Waiter{}, Waited: map[string]*Meter{}, Asked: map[string]Reason{}, Runs: map[string][]Run{},
	}, fleet.NewState())
}

// Resume is a book with notes of before, and the state after the last record that
// they contain. The state is the book's own from then on.
func Resume(n Notes, s *fleet.State) *Book {
	b := open(n, s)
	for _, p := range s.Partitions {
		for _, node := range p.Nodes {
			if node.State == fleet.Quarantined && node.InUse() > 0 {
				b.draining[node.Name] = true
			}
		}
	}
	return b
}

func open(n Notes, s *fleet.State) *Book {
	b := &Book{Notes: n, state: s, draining: map[string]bool{}, seen: map[*fleet.Partition]bool{}, texts: map[string]string{}}
	b.compact()
	return b
}

// compact puts notes that were read, an object each, together.
func (b *Book) compact() {
	lives := make([]NodeLife, 0, len(b.Nodes))
	for name, n := range b.Nodes { // each by itself, here and below: the order does not matter
		lives = append(lives, *n)
		n = &lives[len(lives)-1]
		n.Partition, n.Island = b.text(n.Partition), b.text(n.Island)
		b.Nodes[name] = n
	}
	for id, w := range b.Waits {
		b.Waits[id] = Waiter{b.text(w.Key), w.GPUs}
	}
	for key, r := range b.Asked {
		b.Asked[key] = Reason{b.text(r.Code), b.text(r.Cluster), b.text(r.Part)}
	}
	for i := range b.Episodes {
		e := &b.Episodes[i]
		e.Partition, e.Island, e.Cause = b.text(e.Partition), b.text(e.Island), b.text(e.Cause)
	}
	for _, j := range b.Jobs {
		j.Where, j.Cause = b.text(j.Where), b.text(j.Cause)
	}
}

// text is one of equal texts, for what many nodes or workloads say: the collector of garbage goes to each text that
// there is. Such texts are partitions, islands, causes and keys of meters, all of which a book keeps for ever.
func (b *Book) text(text string) string {
	if known, ok := b.texts[text]; ok {
		return known
	}
	b.texts[text] = text
	return text
}

// Add hears the next record.
func (b *Book) Add(r event.Record) {
	at := max(b.At, int64(r.At)/1e6)
	b.skipDowntime(at, r)
	b.hours(at)
	if len(b.Again) > 0 {
		b.askSome(at)
	}
	clear(b.seen)
	b.touch(r) // where work leaves
	promised := b.promisedBefore(r)
	core.ApplyRecord(b.state, r)
	b.touch(r) // where it comes
	b.Seq, b.At = r.Seq, at
	for _, e := range r.Events {
		b.noteNodes(at, e)
	}
	b.noteBreaks(at, r, promised)
	for _, e := range r.Events { // a record may say what was lost before it says why
		b.work(at, r.At, e)
	}
	b.drained(at)
	for _, id := range workloads(r) {
		b.follow(at, r.At, id)
		b.await(at, r.At, id)
	}
	for p := range b.seen { // each by itself: the order does not matter
		b.figures(at, p)
	}
}

// hours does what is done once in every full hour: what became of promises is
// counted, and reasons begin to be asked anew.
func (b *Book) hours(at int64) {
	if b.At == 0 {
		return
	}
	for next := nextHour(b.At - mod(b.At, hour)); next <= at; next += hour {
		b.promises(next)
		if next+hour > at { // while nothing happens no reason changes
			b.askAgain(next)
		}
	}
}

// workloads is those that a record is about.
func workloads(r event.Record) []uint64 {
	var ids []uint64
	for _, e := range r.Events {
		if id := event.Workload(e); id != 0 && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// touch notes the partitions whose figures a record may change.
func (b *Book) touch(r event.Record) {
	for _, e := range r.Events {
		if id := event.Workload(e); id != 0 {
			if w := b.state.Workloads[id]; w != nil && w.At() != nil {
				b.seen[w.At()] = true
			}
			continue
		}
		for _, p := range b.figuresMove(e) {
			if p != nil {
				b.seen[p] = true
			}
		}
	}
}

// figuresMove lists the partitions whose figures an event about nodes or quota may move. (Why work waits is no
// figure: askAgain in wait.go asks that anew.)
func (b *Book) figuresMove(e event.Event) []*fleet.Partition {
	switch e := e.(type) {
	case event.NodesAdded:
		return []*fleet.Partition{b.state.Partition(e.Partition)}
	case event.NodeChanged:
		return []*fleet.Partition{b.state.Partition(e.Partition)}
	case event.GrantSet:
		return []*fleet.Partition{b.state.Partition(e.Partition)}
	case event.GrantEnded:
		return []*fleet.Partition{b.state.Partition(e.Partition)}
	case event.GrantTransferred:
		return []*fleet.Partition{b.state.Partition(e.Partition)}
	case event.BackingAligned:
		return []*fleet.Partition{b.state.Partition(e.Partition)}
	case event.QuotaDeleted:
		return b.state.Partitions
	}
	return nil
}
