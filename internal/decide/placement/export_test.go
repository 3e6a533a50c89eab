package placement

import (
	"fmt"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// CompareQuotaWork orders two nodes by the in-quota work on them.
var CompareQuotaWork = compareQuotaWork

// Hits counts how often each fast path gave an answer of its own in TwinsAgree.
type Hits struct {
	GivenBackAt  int // victims that giveBackAt found not to be needed
	KnownNeeded  int // victims that slotBound knew to be needed
	JudgedAtOnce int // victims of class borrowing that one walk judged
	Refused      int // claims that mayFit refused
	LeftOut      int // islands that mayTake left out
	SparedThere  int // victims that neededThere spared of many
	SetsPassed   int // sets of victims that cheapestWhere passed over untried
	KeptFlex     int // candidates of flex work that were kept from an earlier decision
	Shortened    int // candidates of flex claims that were not listed, since they could make no room where it is wanted
	WholeNodes   int // places on whole nodes that were found by name
}

// Add sums hits up.
func (h *Hits) Add(o Hits) {
	h.GivenBackAt += o.GivenBackAt
	h.KnownNeeded += o.KnownNeeded
	h.JudgedAtOnce += o.JudgedAtOnce
	h.Refused += o.Refused
	h.LeftOut += o.LeftOut
	h.SparedThere += o.SparedThere
	h.SetsPassed += o.SetsPassed
	h.KeptFlex += o.KeptFlex
	h.Shortened += o.Shortened
	h.WholeNodes += o.WholeNodes
}

// TwinsAgree asks the fast paths of this room and their slow twins the same about a
// waiting unit: which of all that it may evict, and of a part of them, need not leave,
// and which are no borrowers. It says what the fast paths answered, and what differs.
func (pl *Planner) TwinsAgree(it fleet.Waiting, part func() bool) (hits Hits, differs string) {
	kept, differs := pl.KeptFlex()
	if hits.KeptFlex += kept; differs != "" {
		return hits, differs
	}
	for _, c := range pl.claimsOf(it) {
		if own, ok := pl.evictableFor(c); ok && !pl.mayFit(c, own) {
			hits.Refused++
			if pl.fitsWithAllGone(c, own) {
				return hits, "mayFit refuses a claim that fits"
			}
		}
		short, differs := pl.shortened(c)
		if hits.Shortened += short; differs != "" {
			return hits, differs
		}
		list := pl.everyoneInTheWay(c)
		left, wrong := pl.leftOut(c, list)
		if hits.LeftOut += left; wrong {
			return hits, "an island is left out that takes the claim"
		}
		some := slices.DeleteFunc(slices.Clone(list), func(*candidateVictim) bool { return !part() })
		for _, chosen := range [][]*candidateVictim{list, some} {
			spots, ok := pl.fits(c, chosen)
			if !ok || len(chosen) == 0 {
				continue
			}
			fast, slow := pl.giveBackAt(c, spots, chosen), pl.giveBackAtSlowly(c, spots, chosen)
			if !slices.Equal(fast, slow) {
				return hits, fmt.Sprintf("giveBackAt keeps %d victims, its twin %d of %d", len(fast), len(slow), len(chosen))
			}
			hits.GivenBackAt += len(chosen) - len(fast)
			for _, set := range [][]*candidateVictim{chosen, fast} {
				hits.KnownNeeded += pl.knownNeeded(c, set)
				if fast, slow := pl.giveBack(c, set), pl.giveBackSlowly(c, set); !slices.Equal(fast, slow) {
					return hits, fmt.Sprintf("giveBack keeps %d victims, its twin %d of %d", len(fast), len(slow), len(set))
				}
			}
			if kept := pl.neededThere(c, chosen); len(chosen) > fewCandidates {
				hits.SparedThere += len(chosen) - len(kept)
				if _, ok := pl.fits(c, kept); !ok {
					return hits, "neededThere spares a victim that the claim cannot do without"
				}
			}
			passed, cheaper := pl.passedOver(c, chosen)
			if hits.SetsPassed += passed; cheaper {
				return hits, "cheapestWhere passes over a cheaper set that fits"
			}
			if again, ok := pl.fits(c, chosen); !ok || !slices.EqualFunc(spots, again, func(x, y fleet.Spot) bool { return slices.Equal(x.Nodes, y.Nodes) }) {
				return hits, "the questions left a trace"
			}
			none := pl.noBorrowersAmong(c, chosen)
			for _, v := range chosen {
				if c.account != nil && none(v) != pl.isNoBorrower(c, v, chosen) {
					return hits, fmt.Sprintf("a victim of class %v is no borrower: %v, its twin says otherwise", v.class, none(v))
				}
				if v.class == ClassBorrowing && judgesAtOnce(c, chosen) {
					hits.JudgedAtOnce++
				}
			}
		}
	}
	return hits, ""
}

// KeptFlex counts the candidates of flex work that are kept from an earlier decision, and says whether those of some
// namespace are others, or in another order, than its work gives now.
func (pl *Planner) KeptFlex() (n int, differs string) {
	for _, ns := range pl.p.Namespaces() {
		if kept := pl.candidatesOf[ns]; kept != nil && kept.at == pl.flexSeenOf(ns) {
			n += len(kept.units)
		}
		same := func(a, b *candidateVictim) bool {
			return a.id() == b.id() && a.key == b.key && a.overran == b.overran && a.lost == b.lost && a.runs == b.runs && a.onFlex == b.onFlex && a.all.gpus == b.all.gpus &&
				slices.Equal(pl.nodesOf(&a.all, nil), pl.nodesOf(&b.all, nil))
		}
		if !slices.EqualFunc(pl.flexCandidates(ns), byCost(pl.renewed(nil, ns, pl.flexSeenOf(ns)).units), same) {
			return n, "candidates of " + ns + " are kept that are not what its work gives"
		}
		fresh := pl.leavable()
		for _, v := range pl.renewed(nil, ns, pl.flexSeenOf(ns)).units {
			if pl.ranMinimum(v.w) {
				pl.countLeavable(fresh, v)
			}
		}
		if kept := pl.leavableOf(ns); !slices.Equal(kept.gpus, fresh.gpus) || !slices.Equal(kept.used, fresh.used) || kept.largest != fresh.largest || len(kept.spans) != len(fresh.spans) {
			return n, "what work of " + ns + " could leave free is kept, and is something else now"
		}
	}
	return n, ""
}

// passedOver asks for the cheapest of all sets of few candidates, and tries each set by itself. It
// counts those that were passed over untried, and says whether the cheapest was not found.
func (pl *Planner) passedOver(c *claim, list []*candidateVictim) (passed int, cheaper bool) {
	if len(list) > 5 {
		return 0, false
	}
	passed = 1<<len(list) - 1
	as := func(set []*candidateVictim) ([]*candidateVictim, bool) { passed--; return set, true }
	fast := pl.cheapestWhere(c, list, nil, as, everyPlace)
	var best []*candidateVictim
	for mask := 1; mask < 1<<len(list); mask++ {
		set := subset(list, mask)
		if _, ok := pl.fits(c, set); ok && (best == nil || cheaperSet(set, best)) {
			best = set
		}
	}
	return passed, fast == nil || best != nil && cheaperSet(best, fast)
}

// leftOut counts the islands that a search for flex leaves out, and says whether a fair set of candidates of
// one of them would have made room for the claim.
func (pl *Planner) leftOut(c *claim, list []*candidateVictim) (n int, wrong bool) {
	if _, free := pl.fits(c, nil); free || c.account != nil {
		return 0, false // it is not asked who may leave
	}
	most := pl.mostIn(c, list)
	if boundedByIsland(c) {
		pl.tighten(c, list, most)
	}
	for i := range pl.p.Islands {
		if !most.mayTake(c, i) {
			_, _, ok := pl.fairAmong(c, pl.eachOnce(pl.byIsland(c, list).touching(i)))
			n, wrong = n+1, wrong || ok
		}
	}
	_, ok := pl.fits(c, list)
	return n, wrong || ok != pl.someTakes(c, list, most)
}

// shortened counts the candidates that a flex claim's search did not list, and says what is found among all of them if that is
// another set.
func (pl *Planner) shortened(c *claim) (n int, differs string) {
	if _, free := pl.fits(c, nil); free || c.account != nil || !boundedByIsland(c) {
		return 0, ""
	}
	spots, victims, ok := pl.flexVictims(c)
	all, of, found := pl.fairSetOfAll(c)
	same := func(a, b *candidateVictim) bool { return a.id() == b.id() }
	if ok != found || ok && (!slices.EqualFunc(victims, of, same) || !slices.EqualFunc(spots, all, func(x, y fleet.Spot) bool { return slices.Equal(x.Nodes, y.Nodes) })) {
		return 0, fmt.Sprintf("a flex claim evicts %d (%v), and of all candidates %d (%v)", len(victims), ok, len(of), found)
	}
	givers, _ := pl.giversTo(c)
	passers := pl.passersOf(c, false)
	most := pl.mostOf(c, givers, passers)
	if !most.some(c) {
		return len(pl.evictableOnFlex(c)), ""
	}
	s := pl.newShortlist(c, givers, passers, most)
	list := pl.evictableOnFlex(c)
	short, whole := pl.byIsland(c, byCost(s.list)), pl.byIsland(c, list)
	for i, where := range s.where {
		if where && len(list) > 0 && !slices.EqualFunc(short.touching(i), whole.touching(i), same) {
			return 0, "a flex claim's search does not list all candidates of an island"
		}
	}
	return s.all - len(s.list), ""
}

// evictableFor is evictableInQuota for claims in quota; ok is false for others.
func (pl *Planner) evictableFor(c *claim) (list []evictable, ok bool) {
	if c.account == nil {
		return nil, false
	}
	return pl.evictableInQuota(c)
}

// fitsWithAllGone is what mayFit bounds from above.
func (pl *Planner) fitsWithAllGone(c *claim, own []evictable) bool {
	var list []*candidateVictim
	for _, v := range own {
		list = append(list, pl.candidate(*v.unit, v.class))
	}
	return pl.fitsWithoutFlex(c, list)
}

// WholeNodes asks for whole nodes for up to so many replicas that a quota would start now. It counts the islands
// where they are found by name, and says whether others are rated better.
func (pl *Planner) WholeNodes(a *fleet.Account, replicas int) (n int, wrong bool) {
	w := &fleet.Workload{Replicas: make([][]fleet.Replica, 1), Spec: fleet.Spec{Target: a.Quota, Pools: []fleet.Pool{{GPUs: pl.p.GPUsPerNode, Min: replicas, Max: replicas, Reach: fleet.ReachIsland}}}}
	c := pl.claimOf(fleet.Waiting{Workload: w, Pool: fleet.Base}, a, fleet.HoldsGuaranteed)
	pl.limitByTree(c)
	pl.limitByQuota(c)
	for i := range pl.p.Islands {
		if nodes := pl.fillWhole(c, &c.needs[0], i, replicas); nodes != nil {
			n, wrong = n+1, wrong || !slices.Equal(nodes, pl.fillByRating(c, c.needs[0], i, replicas))
		}
	}
	return n, wrong
}

// knownNeeded counts the victims of which the bound says that the claim needs them gone.
func (pl *Planner) knownNeeded(c *claim, chosen []*candidateVictim) (n int) {
	b := pl.slotBoundOf(c, chosen)
	for _, v := range chosen {
		if b.needs(v) {
			n++
		}
	}
	b.end()
	return n
}

// claimsOf are the claims that a waiting unit makes, with their limits.
func (pl *Planner) claimsOf(it fleet.Waiting) []*claim {
	a := pl.p.Account(it.Workload.Target)
	if a == nil {
		return []*claim{pl.claimOf(it, nil, fleet.HoldsFlex)}
	}
	c := pl.claimOf(it, a, fleet.HoldsGuaranteed)
	pl.limitByTree(c)
	c.sparesHolds = mustSpareHolds(c)
	pl.limitByEarlier(c)
	return []*claim{c}
}

func (pl *Planner) everyoneInTheWay(c *claim) []*candidateVictim {
	if c.account == nil {
		return pl.evictableOnFlex(c)
	}
	own, _ := pl.evictableInQuota(c)
	var list []*candidateVictim
	for _, v := range own {
		list = append(list, pl.candidate(*v.unit, v.class))
	}
	return byCost(append(list, pl.evictableFlex(c)...))
}

// giveBackAtSlowly is thin, each victim asked for with everything looked at again.
func (pl *Planner) giveBackAtSlowly(c *claim, spots []fleet.Spot, chosen []*candidateVictim) []*candidateVictim {
	leaving := slices.Clone(pl.leavers(chosen))
	freed := 0
	for _, v := range leaving {
		pl.evict(v.all)
		freed += v.freed(c)
	}
	kept := make([]*candidateVictim, 0, len(leaving))
	for i := len(leaving) - 1; i >= 0; i-- {
		v := leaving[i]
		pl.restore(v.all)
		if pl.holdsIn(c, spots, slices.Concat(leaving[:i], kept), freed-v.freed(c)) {
			freed -= v.freed(c)
			continue
		}
		pl.evict(v.all)
		kept = append(kept, v)
	}
	for _, v := range kept {
		pl.restore(v.all)
	}
	slices.Reverse(kept)
	if len(kept) == len(leaving) {
		return chosen
	}
	return kept
}

// giveBackSlowly is spare, the claim placed anew for each victim.
func (pl *Planner) giveBackSlowly(c *claim, chosen []*candidateVictim) []*candidateVictim {
	for spared := true; spared; {
		spared = false
		for i := len(chosen) - 1; i >= 0; i-- {
			rest := slices.Delete(slices.Clone(chosen), i, i+1)
			if _, ok := pl.fits(c, rest); ok {
				chosen, spared = rest, true
			}
		}
	}
	return chosen
}

// WalkTree lists whom a walk along a tree meets.
func WalkTree(tree *fleet.Tree) (met []*fleet.Waiting) {
	walk := walkTree(tree)
	for it := walk.next(); it != nil; it = walk.next() {
		met = append(met, it)
	}
	return met
}

// Asleep counts what a partition need not ask again, by what is remembered of it.
type Asleep struct {
	Trees               int // in which a unit waits
	Counts, Nodes, Room int // first units of their queues, by what they lacked
	ReadsQueue          int // of these, those whose answer hangs on who else waits
	Flex                int // partitions in which work waits for flex, and none of it could start
	Elastic             int // workloads that could not grow
}

// Add sums up.
func (a *Asleep) Add(o Asleep) {
	a.Trees += o.Trees
	a.Counts += o.Counts
	a.Nodes += o.Nodes
	a.Room += o.Room
	a.ReadsQueue += o.ReadsQueue
	a.Flex += o.Flex
	a.Elastic += o.Elastic
}

// AsleepIn counts what the next look at a partition passes over.
func AsleepIn(s *fleet.State, p *fleet.Partition) (n Asleep) {
	pl := New(s, p, s.Time)
	awake := pl.awakeTrees()
	for _, tree := range p.Trees() {
		if len(tree.Waits()) > 0 && !slices.Contains(awake, tree) {
			n.Trees++
		}
		for _, it := range WalkTree(tree) {
			n.unit(pl, it)
		}
	}
	if len(p.WaitingForFlex()) > 0 && pl.flexSleeps() {
		n.Flex++
	}
	for _, w := range p.Growing() {
		if pl.grown(w) {
			n.Elastic++
		}
	}
	return n
}

func (a *Asleep) unit(pl *Planner, it *fleet.Waiting) {
	if !pl.tried(it) {
		return
	}
	switch lackOf(it.Memo) {
	case lacksCounts:
		a.Counts++
	case lacksNodes:
		a.Nodes++
	case lacksRoom:
		a.Room++
	}
	if readsQueueOf(it.Memo) {
		a.ReadsQueue++
	}
}

// DownToShare counts the candidates of a flex claim, and those of them that bring their namespaces
// down to their shares.
func (pl *Planner) DownToShare(it fleet.Waiting) (kept, of int) {
	c := pl.claimsOf(it)[0]
	list := pl.evictableOnFlex(c)
	return len(pl.downToShare(c, list)), len(list)
}
