package chaos_test

import (
	"fmt"
	"math/rand"
	"testing"
	"time"
)

// TestHousesOutliveChaos plays random fleets as production would serve them:
// reports are lost, late, doubled and out of order, nodes fail, and the process
// dies between any two records. Everything that must hold is asked after every
// record; in the end all is repaired, and the fleet must come to rest.
func TestHousesOutliveChaos(t *testing.T) {
	t.Parallel()
	total, began := sums{}, time.Now()
	playSeeds(t, func(seed int64) bool {
		w, f := playHouse(seed)
		total.add(w)
		tellOf(t, seed, w, f, lawsOfPlacement...)
		if total.worlds%1000 == 0 {
			t.Logf("seed %d: %v", seed, total)
		}
		return f == nil || *goOn
	})
	t.Logf("%v; %.0f events a second", total, float64(total.events)/time.Since(began).Seconds())
}

// housesOnceBroken are seeds of houses that broke a rule, and what went wrong there.
var housesOnceBroken = []struct {
	seed  int64
	wrong string
}{
	{9, "an end that nobody heard before a cancellation"},
	{1214, "late copies of answers to earlier orders"},
	{1749, "late copies of answers to earlier orders"},
	{166, "a ring of borrowers inside one decision"},
	{1114, "a ring of borrowers inside one decision"},
	{1996, "a ring of borrowers inside one decision"},
	{2022, "a ring of borrowers inside one decision"},
	{11123, "a ring of borrowers inside one decision"},
	{3140, "a ring of borrowers at the pace of the grace"},
	{3392, "a ring of borrowers at the pace of the grace"},
	{4109, "a ring of borrowers at the pace of the grace"},
	{10094, "a ring of borrowers at the pace of the grace"},
	{1734, "a twin that decided otherwise because of such a ring"},
	{1089, "a gang that was mended though nothing of it ran"},
	{11575, "a gang that was mended though nothing of it ran"},
	{700830, "two gangs that swapped on flex because of what joined them"},
	{900198, "a workload whose room was free when another one was cancelled, and that was not looked at"},
	{900458, "the same, so that a restarted process decided otherwise"},
	{703698, "large gangs on flex that took turns by way of small ones"},
	{1500266, "large gangs on flex that took turns by way of small ones"},
	{951368, "an heir in the place of surplus that left along"},
	{1502051, "shares that rose while a victim was leaving"},
	{1502114, "work that left only so that its namespace stayed within its share"},
	{950861, "quota that no work could use while uncovered work of its own stood on too many nodes"},
	{2002346, "quota that no work could use while uncovered work of its own stood on too many nodes"},
	{3000257, "surplus that was covered while its pool was not"},
	{11840, "uncovered work that was evicted for a node that only covered work takes"},
	{8002368, "a pool that lost part of the room reserved for its min, where it ran"},
	{8002546, "a pool that lost part of the room reserved for its min, and had yet to join"},
	{8000660, "a unit that passed its head only because flex work moved"},
	{9100347, "not written down when it was found"},
	{20100285, "not written down when it was found"},
	{21107842, "not written down when it was found"},
}

func TestHousesThatBrokeOnce(t *testing.T) {
	t.Parallel()
	for _, once := range housesOnceBroken {
		if w, f := playHouse(once.seed); f != nil {
			t.Errorf("seed %d broke once: %s", once.seed, once.wrong)
			tellOf(t, once.seed, w, f, lawsOfPlacement...)
		}
	}
}

// tellOf tells of a story that broke a rule: made small, or in one go where there may be many.
func tellOf(t *testing.T, seed int64, w *world, f *failure, laws ...law) {
	t.Helper()
	switch {
	case f == nil:
	case *goOn:
		t.Errorf("seed %d, line %d: %s: %.4000s", seed, f.at, f.rule, f.detail)
	default:
		t.Errorf("%s", smallest(seed, w.script, f, laws...))
	}
}

// sampled are the questions of a long run: the laws of each partition after every
// record, and the dearer ones now and then.
var sampled = sampling{recount: 8, idle: 16, before: 24}

func playHouse(seed int64) (*world, *failure) {
	w := newWorld(sampled, lawsOfPlacement...)
	a := &author{chooser: seeded{rand.New(rand.NewSource(seed))}, w: w, housed: true}
	if f := a.tell(seed); f != nil {
		return w, f
	}
	f := w.play(step{trick: healed})
	return w, f
}

// tell writes and plays a story in a house whose clusters have this seed.
func (a *author) tell(seed int64) *failure {
	a.queue = append(a.queue, step{trick: movesIn, in: int(seed)})
	a.begin()
	for range 2 * *linesFlag {
		if f := a.w.play(a.next()); f != nil {
			return f
		}
	}
	return nil
}

// TestWhoIsAdmittedStartsWithinTheGrace plays houses in fine weather, whose
// processes live: there every victim is gone when its grace ends, and work that fits
// its quota's backing runs by then.
func TestWhoIsAdmittedStartsWithinTheGrace(t *testing.T) {
	t.Parallel()
	total := sums{}
	playSeeds(t, func(seed int64) bool {
		w := newWorld(sampling{before: 1}, startsWithinGrace)
		a := &author{chooser: seeded{rand.New(rand.NewSource(seed))}, w: w, housed: true, fair: true}
		f := a.tell(3 * seed) // clusters whose victims use their whole grace
		total.add(w)
		tellOf(t, seed, w, f, startsWithinGrace)
		return f == nil || *goOn
	})
	t.Logf("%v", total)
}

// sums says what a run has seen.
type sums struct {
	counts
	crashes, snapshots, lost, late, doubled, overtaken, stale, again, evictions, mends, nodes int
}

func (s *sums) add(w *world) {
	s.counts.add(w)
	s.evictions += w.kinds["replicas.evicted"]
	s.nodes += w.kinds["node.changed"]
	s.mends += w.mends
	if h := w.house; h != nil {
		s.crashes += h.crashes
		s.snapshots += h.snapshots
		s.lost += h.line.lost
		s.late += h.line.late
		s.doubled += h.line.doubled
		s.overtaken += h.line.overtaken
		s.stale += h.line.stale
		s.again += h.line.again
	}
}

func (s sums) String() string {
	return fmt.Sprintf("%d worlds, %d requests (%d refused), %d records, %d events; %d crashes, %d snapshots; reports: %d lost, %d late, %d doubled, %d overtaken, %d of orders done with; %d orders given again; %d node changes, %d evictions, %d mends",
		s.worlds, s.steps, s.refusals, s.records, s.events, s.crashes, s.snapshots, s.lost, s.late, s.doubled, s.overtaken, s.stale, s.again, s.nodes, s.evictions, s.mends)
}
