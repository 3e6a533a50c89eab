package promise

import (
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Alignment maps the grants of a partition to islands, in whole nodes.
type Alignment struct {
	Capacity
	Backing [][]int // by account (in order of quota path), by island
	Moved   []int   // accounts that are backed otherwise than now; the rows of the others are their own
	Gangs   []Gang  // by account
}

// Gang says whether a declared gang is backed, and what is missing where if not.
type Gang struct {
	Missing int // GPUs; 0: backed, or none declared
	Island  int // the island that backs it, or the best one
}

// Align decides the backing of every account (semantics §3). It is a pure
// function of the partition (its present backing and running work among it),
// the policies in force and the moment; aligned again on its own result, it
// changes nothing.
func Align(s *fleet.State, p *fleet.Partition, now fleet.Instant) Alignment {
	al := newAligner(p, CapacityOf(s, p, now))
	// What is decided is an input of the next decision: the backing in force.
	for range rounds {
		al.backGangs() // rules 3 and 4: those that run, and those that stand where they are
		al.backTheRest()
		al.letInNewGangs() // rules 3 and 4: where no running work has to give up its cover
		al.followTheWork() // §5: backing follows its quota's running work
		al.reunite()       // rule 6: idle pieces move into one island
		if !al.settle() {
			break
		}
	}
	al.sayWhatIsMissing()
	return al.result()
}

// rounds bounds how often a partition is aligned on what the last round left.
// Two are usual: one that changes something, and one that does not.
const rounds = 8

// settle takes the backing that is now decided for the present one, and says
// whether the next round may decide otherwise.
func (al *aligner) settle() bool {
	changed := al.anew
	al.eachStand(func(s *stand) {
		changed = changed || s.present != s.backing
		s.present = s.backing
	})
	for _, k := range al.declared {
		r := &al.rows[k]
		home := -1
		if r.backed {
			home = r.gang.Island
		}
		changed = changed || r.home != home
		r.home, r.letIn, r.hopeless = home, false, false
	}
	al.asking, al.anew = false, false
	al.coverNow()
	return changed
}

// backTheRest shares what gangs left, and places it. Cover that cannot stay
// does not count as got: then it is shared anew.
func (al *aligner) backTheRest() {
	for shared := false; !shared; {
		al.shareTheRest() // rule 5
		if al.lowerLimits() {
			al.backGangsWithinLimits()
			al.backGangs()
			continue
		}
		al.place() // rules 4 and 6
		shared = !al.coverStill()
	}
}

func (al *aligner) result() Alignment {
	a := Alignment{Capacity: al.cap, Backing: make([][]int, len(al.rows)), Gangs: make([]Gang, len(al.rows))}
	for k := range al.rows {
		r := &al.rows[k]
		a.Gangs[k] = r.gang
		a.Backing[k] = r.account.Backing
		if r.moved() {
			a.Moved = append(a.Moved, k)
			a.Backing[k] = r.backing(len(al.islands))
		}
	}
	return a
}

func (r *row) moved() bool {
	for _, st := range r.stands {
		if st.backing != st.before {
			return true
		}
	}
	return false
}

func (r *row) backing(islands int) []int {
	backing := make([]int, islands)
	for _, st := range r.stands {
		backing[st.island] = st.backing
	}
	return backing
}
