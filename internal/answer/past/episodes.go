package past

import (
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// KeepEpisodes is how long episodes are kept one by one; older ones are sums by
// partition, cause and month.
const KeepEpisodes = 400 * day

// Stage is a part of the time in which a node is out.
type Stage int

// The stages of a repair, in the order of a node's life.
const (
	StageDetect    Stage = iota // suspect: is something wrong?
	StageDrain                  // quarantined, and work still holds GPUs of it
	StageWait                   // quarantined and empty, or degraded: not being repaired yet
	StageRepair                 // repairing, or under maintenance
	StageValidate               // validating
	StageProbation              // back, and serving flex only
	Stages                      // how many there are
)

var stageNames = [Stages]string{"detect", "drain", "wait", "repair", "validate", "probation"}

func (s Stage) String() string { return stageNames[s] }

// Episode is one time of a node out of service: from the moment it is no longer
// healthy until it is again.
type Episode struct {
	Node, Partition, Island string
	Cause                   string // the first signal of it; the first state where there is none
	GPUs                    int
	From, To                int64
	Failed                  int64 // when it proved to be more than a suspicion; 0: not, or not kept
	Stages                  [Stages]int64
	Planned                 bool // maintenance: no failure
	Cleared                 bool // suspected only, and rightly trusted again: no failure
	Gone                    bool // retired: it never came back
	Relapse                 bool // it failed again in probation: the next episode begins here
}

// Failure says whether the episode was one: not planned, and not a mere suspicion.
func (e Episode) Failure() bool { return !e.Planned && !e.Cleared }

// failedAt is when the node failed: a suspicion before that is none.
func (e Episode) failedAt() int64 {
	if e.Failed != 0 {
		return e.Failed
	}
	return e.From + e.Stages[StageDetect]
}

// Repaired says whether the node came back from a failure.
func (e Episode) Repaired() bool { return e.Failure() && !e.Gone && !e.Relapse }

// Faded is a month's episodes of one partition and cause, added up.
type Faded struct {
	Partition, Cause string
	Month            int64
	Failures         int
	Repaired         int
	Down             int64 // GPUs × time, of all of them
	Stages           [Stages]int64
}

// Ongoing is the episode that a node is in.
type Ongoing struct {
	Open       *Episode // the one it is in
	Stage      Stage    // of that one, since StageSince
	StageSince int64
}

// live takes a node into, through or out of an episode.
func (b *Book) live(at int64, e event.NodeChanged, n *NodeLife) {
	if n.Open != nil {
		switch {
		case e.To == fleet.Healthy:
			b.close(at, n)
			return
		case e.To == fleet.Retired:
			n.Open.Gone = true
			b.close(at, n)
			return
		case n.Stage == StageProbation && e.To != fleet.Probation:
			n.Open.Relapse = true
			b.close(at, n)
		}
	}
	if n.Open == nil {
		if e.To == fleet.Healthy || e.To == fleet.Probation || e.To == fleet.Retired {
			return // the node serves, or is no more
		}
		b.open(at, e, n)
	}
	b.stage(at, e, n)
}

// open begins an episode. It is cleared until it proves to be more than a suspicion.
func (b *Book) open(at int64, e event.NodeChanged, n *NodeLife) {
	n.Open = &Episode{Node: e.Node, Partition: n.Partition, Island: n.Island, GPUs: n.GPUs, From: at, Cleared: true, Planned: e.To == fleet.Maintenance}
	n.Stage, n.StageSince = b.stageOf(e.Node, e.To), at
}

// stage moves an open episode on; what it takes for no failure any more is a failure.
func (b *Book) stage(at int64, e event.NodeChanged, n *NodeLife) {
	if n.Open.Cause == "" {
		n.Open.Cause = b.text(fleet.OutageCause(e.Signal))
	}
	if e.To == fleet.Maintenance && n.Open.Cleared {
		n.Open.Planned = true
	}
	serious := e.To != fleet.Suspect && e.To != fleet.Maintenance && e.To != fleet.Probation && e.To != fleet.Validating
	if serious && n.Open.Cleared && !n.Open.Planned {
		n.Open.Cleared, n.Open.Failed = false, at
		n.Failures++
		b.island(n.Partition, n.Island).count(at, islandFailures, 1)
	}
	b.enter(at, n, b.stageOf(e.Node, e.To))
}

// enter goes from one stage to another.
func (b *Book) enter(at int64, n *NodeLife, to Stage) {
	n.Open.Stages[n.Stage] += at - n.StageSince
	n.Stage, n.StageSince = to, at
}

// stageOf is the stage that a node is in when it comes into a state.
func (b *Book) stageOf(node string, s fleet.NodeState) Stage {
	delete(b.draining, node)
	switch s {
	case fleet.Suspect:
		return StageDetect
	case fleet.Quarantined:
		if b.held(node) > 0 {
			b.draining[node] = true
			return StageDrain
		}
		return StageWait
	case fleet.Repairing, fleet.Maintenance:
		return StageRepair
	case fleet.Validating:
		return StageValidate
	case fleet.Probation:
		return StageProbation
	case fleet.Degraded, fleet.Healthy, fleet.Retired: // of these only degraded comes here
	}
	return StageWait
}

// drained notes that quarantined nodes are empty.
func (b *Book) drained(at int64) {
	for node := range b.draining { // each by itself: the order does not matter
		if n := b.Nodes[node]; n.Open != nil && b.held(node) == 0 {
			delete(b.draining, node)
			b.enter(at, n, StageWait)
		}
	}
}

// held is how many GPUs of a node work holds.
func (b *Book) held(node string) int {
	n := b.Nodes[node]
	p := b.state.Partition(n.Partition)
	i, _ := p.Node(node)
	return p.Nodes[i].InUse()
}

// close ends the episode of a node. What was planned is no suspicion that was cleared.
func (b *Book) close(at int64, n *NodeLife) {
	b.enter(at, n, n.Stage)
	e := *n.Open
	e.To, e.Cause = at, n.cause()
	n.Open = nil
	if e.Planned {
		e.Cleared = false
	}
	b.Episodes = append(b.Episodes, e)
	b.fade(at)
}

// fade adds up what is too old to be kept one by one.
func (b *Book) fade(now int64) {
	n := 0
	for ; n < len(b.Episodes) && b.Episodes[n].To < now-KeepEpisodes; n++ {
		e := b.Episodes[n]
		month := startOfMonth(e.To)
		key := e.Partition + " " + e.Cause + " " + monthName(month)
		f := b.Faded[key]
		if f == nil {
			f = &Faded{Partition: e.Partition, Cause: e.Cause, Month: month}
			b.Faded[key] = f
		}
		f.add(e)
	}
	// A slice is cut only now and then: cutting copies all that is kept.
	if n > 1024 || n > 0 && n == len(b.Episodes) {
		b.Episodes = slices.Clone(b.Episodes[n:])
		return
	}
	if n > 0 {
		b.Episodes = b.Episodes[n:]
	}
}

// add takes in one episode. Time in probation is no time down: the node serves flex then.
func (f *Faded) add(e Episode) {
	if e.Failure() {
		f.Failures++
	}
	if e.Repaired() {
		f.Repaired++
		for i, d := range e.Stages {
			f.Stages[i] += d
		}
	}
	f.Down += (e.To - e.From - e.Stages[StageProbation]) * int64(e.GPUs)
}

func monthName(at int64) string { return time.UnixMilli(at).UTC().Format("2006-01") }
