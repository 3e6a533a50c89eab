package core_test

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"slices"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/haircut"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// haircutFleets is how many random fleets the laws of haircuts are asked of.
const haircutFleets = 400

// shorn is a random fleet in which more is assigned than is sustainable.
type shorn struct {
	tale
	r    *rand.Rand
	seed int64
	now  time.Duration
	log  []event.Record
}

func (st *shorn) try(c core.Command) *core.Refusal {
	out, refusal := core.Step(st.s, core.Request{Command: c, Actor: core.System, Reason: "test"}, moment(st.now))
	if refusal == nil && len(out.Record.Events) > 0 {
		st.log = append(st.log, out.Record)
	}
	return refusal
}

func (st *shorn) must(c core.Command) {
	st.t.Helper()
	if refusal := st.try(c); refusal != nil {
		st.t.Fatalf("seed %d: %T refused: %v", st.seed, c, refusal)
	}
}

var shornQuotas = []string{"a", "a/b", "a/c", "b", "c/x", "c/y"}

func newShorn(t *testing.T, seed int64) *shorn {
	st := &shorn{tale: tale{t, fleet.NewState()}, r: rand.New(rand.NewSource(seed)), seed: seed}
	policy := fleet.DefaultPolicy()
	policy.Buffer.Share = fleet.Permille([]int{0, 100, 150, 200}[st.r.Intn(4)])
	st.must(core.SetPolicy{Policy: policy})
	for _, q := range shornQuotas {
		st.must(core.CreateQuota{Path: q, Owner: "ada"})
	}
	for c := range 1 + st.r.Intn(3) {
		st.cluster(fmt.Sprintf("t%d", c))
	}
	for n := range 5 + st.r.Intn(20) {
		st.now += time.Minute
		st.something(n)
	}
	st.now += 30 * time.Hour
	st.must(core.Tick{})
	return st
}

func (st *shorn) cluster(name string) {
	st.must(core.AddCluster{Name: name})
	st.must(core.AddPartition{Cluster: name, GPU: "g"})
	for i := range 1 + st.r.Intn(3) {
		st.must(core.AddIslands{Partition: name + "/g", Islands: []core.NewIsland{{Name: string(rune('a' + i)), Nodes: 2 + st.r.Intn(8)}}})
	}
	for _, q := range shornQuotas {
		if nodes := st.r.Intn(9); st.r.Intn(3) > 0 && nodes > 0 {
			st.must(core.SetGrant{Quota: q, Partition: name + "/g", GPUs: 8*nodes + max(0, st.r.Intn(16)-8), Gang: 8 * (st.r.Intn(3) / 2) * st.r.Intn(nodes+1), Overcommit: true})
		}
	}
}

// something happens: work comes, goes or falls idle, or a node fails.
func (st *shorn) something(n int) {
	p := st.s.Partitions[st.r.Intn(len(st.s.Partitions))]
	name := fmt.Sprintf("w%d", n)
	switch st.r.Intn(8) {
	case 0, 1:
		states := []fleet.NodeState{fleet.Quarantined, fleet.Repairing, fleet.Maintenance, fleet.Healthy, fleet.Suspect}
		st.must(core.SetNodes{Names: []string{p.Nodes[st.r.Intn(len(p.Nodes))].Name}, State: states[st.r.Intn(len(states))]})
	case 2:
		if w := st.s.Workload("ns", fmt.Sprintf("w%d", st.r.Intn(n+1))); w != nil {
			st.must(core.MeasureUsage{Of: []core.Measured{{Namespace: "ns", Name: w.Name, SM: 0, Tensor: fleet.Unmeasured, Network: fleet.Unmeasured}}})
		}
	default:
		pools := []fleet.Pool{pool("p", 0, []int{8, 8, 8, 3}[st.r.Intn(4)], 1+st.r.Intn(5))}
		if st.r.Intn(4) == 0 {
			pools = []fleet.Pool{elastic("p", 0, 2, 1, 1+st.r.Intn(12))}
		}
		c := job("ns", name, shornQuotas[st.r.Intn(len(shornQuotas))], fleet.Mid, pools...)
		c.Spec.Partition = p.ID
		_ = st.try(c)
	}
}

// endSome gives some quotas more, until long after all that is told here.
func (st *shorn) endSome() {
	r := rand.New(rand.NewSource(-st.seed))
	for _, p := range st.s.Partitions {
		for _, a := range slices.Clone(p.Accounts) {
			if r.Intn(3) == 0 {
				st.must(core.SetGrant{Quota: a.Quota, Partition: p.ID, GPUs: 8*(1+r.Intn(4)) + r.Intn(2), Until: moment(30 * 24 * time.Hour), KeepGang: true, Overcommit: true})
			}
		}
	}
}

func (st *shorn) ask() haircut.Ask {
	return haircut.Ask{Basis: []fleet.Basis{fleet.BasisCluster, fleet.BasisCluster, fleet.BasisQuota}[st.r.Intn(3)]}
}

// TestHaircutCutsWhatItMust: on the basis cluster what fills no whole node
// goes first, and assigned comes down to sustainable, exactly. Classes come in their order. A
// grant falls below its gang only when nothing else is left. Causes sum to the excess.
func TestHaircutCutsWhatItMust(t *testing.T) {
	plans, below := 0, 0
	for seed := range int64(haircutFleets) {
		st := newShorn(t, seed)
		h, refusal := core.DraftHaircut(st.s, haircut.Ask{Basis: fleet.BasisCluster}, moment(st.now))
		if refusal != nil {
			t.Fatalf("seed %d: %v", seed, refusal)
		}
		for _, part := range append(haircut.Parts(&h), h.Fit...) {
			plans++
			sums := haircut.SumsOf([]fleet.CutPart{part})
			want := part.Excess
			if want > 0 {
				want = max(want, st.fractions(part.Partition)) // all of them go at once
			}
			if sums.Total != want || part.Left != 0 || sums.Fraction+sums.Unscheduled+sums.Idle+sums.Rest != sums.Total {
				t.Fatalf("seed %d: %+v sums to %+v", seed, part, sums)
			}
			causes := 0
			for _, c := range part.Causes {
				causes += c.GPUs
			}
			if causes != part.Excess {
				t.Fatalf("seed %d: causes %v do not sum to %d", seed, part.Causes, part.Excess)
			}
			below += st.inOrder(part, sums)
		}
	}
	t.Logf("%d partitions, %d grants below their gang", plans, below)
	if below == 0 {
		t.Error("no plan had to go below a gang: the law was not asked")
	}
}

// fractions is the GPUs of grants in a partition that fill no whole node.
func (st *shorn) fractions(partition string) int {
	t := 0
	for _, a := range st.s.Partition(partition).Accounts {
		t += a.Grant % 8
	}
	return t
}

// inOrder checks classes and gangs against what the partition has, counted anew.
func (st *shorn) inOrder(part fleet.CutPart, sums haircut.Sums) (below int) {
	p, spare, room := st.s.Partition(part.Partition), 0, 0
	after := map[string]fleet.Cut{}
	for _, c := range part.Cuts {
		after[c.Quota] = c
		if c.BelowGang() {
			below++
		}
		if c.Now < 0 || c.GPUs() <= 0 || c.GPUs() != c.Fraction+c.Unscheduled+c.IdleCut+c.Rest || c.Now%8 != 0 {
			st.t.Fatalf("seed %d: %+v", st.seed, c)
		}
	}
	for _, a := range p.Accounts {
		touched, now := 0, a.Grant
		for i := range p.Islands {
			touched += 8 * a.Touched(i)
		}
		c, cut := after[a.Quota]
		if cut {
			now = c.Now
		}
		grant := a.Grant - a.Grant%8
		free := min(grant-max(touched, a.Usage()+(8-a.Usage()%8)%8), grant-a.Gang)
		if a.Gang > 0 {
			free = min(free, grant-a.Gang-touched) // work may stand beside the gang's block
		}
		spare += max(0, free-c.Unscheduled)
		room += max(0, now-a.Gang)
	}
	if spare > 0 && sums.Idle+sums.Rest > 0 {
		st.t.Fatalf("seed %d: %d unscheduled GPUs are left, and %+v is cut", st.seed, spare, sums)
	}
	if below > 0 && room > 0 {
		st.t.Fatalf("seed %d: a gang is broken though %d GPUs could be cut elsewhere: %+v", st.seed, room, part)
	}
	return below
}

// TestHaircutTouchesNoGuaranteedWork: what is cut above usage leaves all running
// guaranteed work as it is, where all that is still assigned can be backed. (Else it is
// shared anew, in proportion.) Nothing guaranteed is ever evicted. The plan names what loses
// its cover.
func TestHaircutTouchesNoGuaranteedWork(t *testing.T) {
	waves, gentle := 0, 0
	for seed := range int64(haircutFleets) {
		st := newShorn(t, seed)
		if st.try(core.PlanHaircut{Name: "h", Ask: st.ask()}) != nil {
			continue
		}
		st.must(core.TellHaircut{Name: "h"})
		h := *st.s.Haircut("h")
		for _, w := range h.Waves {
			before, covered := st.held(w.Cluster, fleet.HoldsGuaranteed), st.held(w.Cluster, fleet.HoldsGuaranteed, fleet.HoldsBorrowing)
			left := slices.ContainsFunc(w.Parts, func(p fleet.CutPart) bool { return p.Left > 0 })
			named, makesRoom := map[string]bool{}, map[string]bool{}
			for _, part := range w.Parts {
				for _, touched := range slices.Concat(part.Unprotected, part.Known, part.Evicted) {
					named[touched.Workload] = true
				}
				for _, touched := range part.Evicted {
					makesRoom[touched.Workload] = true // for work of its own quota, whose backing rises
				}
			}
			if refusal := st.try(core.ApplyHaircut{Name: "h", Cluster: w.Cluster}); refusal != nil {
				if refusal.Code != core.NotReadyForWave && refusal.Code != core.WrongState { // work without an explanation, or a gate
					t.Fatalf("seed %d: %v", seed, refusal)
				}
				continue
			}
			waves++
			sums, after := haircut.SumsOf(w.Parts), st.held(w.Cluster, fleet.HoldsGuaranteed)
			still := st.held(w.Cluster, fleet.HoldsGuaranteed, fleet.HoldsBorrowing)
			for name, gpus := range before {
				if lost := covered[name] - still[name]; lost > 0 && !named[name] {
					t.Fatalf("seed %d: %s lost cover of %d GPUs and is not named", seed, name, lost)
				}
				if after[name] < gpus && !makesRoom[name] && sums.Idle+sums.Rest == 0 && !left {
					t.Fatalf("seed %d: only unscheduled quota was cut, and %s lost cover", seed, name)
				}
			}
			if sums.Idle+sums.Rest == 0 {
				gentle++
			}
			for _, e := range st.log[len(st.log)-1].Events {
				if e, ok := e.(event.ReplicasEvicted); ok && e.Class == "guaranteed" {
					t.Fatalf("seed %d: guaranteed work was evicted: %+v", seed, e)
				}
			}
		}
	}
	t.Logf("%d waves, %d of them above usage only", waves, gentle)
	if gentle == 0 || waves == gentle {
		t.Error("the fleets are too tame to show the law")
	}
}

// held is what running work of a cluster holds in these ways, by name.
func (st *shorn) held(cluster string, ways ...fleet.HeldAs) map[string]int {
	held := map[string]int{}
	for _, p := range st.s.Partitions {
		for _, a := range p.Accounts {
			for _, w := range a.Work() {
				for pool, replicas := range w.Replicas {
					for _, r := range replicas {
						if p.Cluster == cluster && r.Phase == fleet.Running && slices.Contains(ways, r.HeldAs) {
							held["ns/"+w.Name] += w.Pools[pool].GPUs
						}
					}
				}
			}
		}
	}
	return held
}

// TestHaircutUndoneIsTheSameState: all waves applied, and undone the other way
// round, leave every grant as it was; and where no work moved meanwhile, all that
// decisions read. Replaying the log gives the same state.
func TestHaircutUndoneIsTheSameState(t *testing.T) {
	same, moved := 0, 0
	for seed := range int64(haircutFleets) {
		st := newShorn(t, seed)
		st.endSome()
		if st.try(core.PlanHaircut{Name: "h", Ask: st.ask()}) != nil {
			continue
		}
		st.must(core.TellHaircut{Name: "h"})
		grants, all := st.grants(), st.reads()
		applied, quiet := 0, true
		for _, w := range st.s.Haircut("h").Waves {
			if st.try(core.ApplyHaircut{Name: "h", Cluster: w.Cluster}) == nil {
				applied++
				quiet = quiet && !movesWork(st.log[len(st.log)-1])
			}
		}
		for range applied {
			st.must(core.UndoHaircut{Name: "h"})
		}
		if got := st.grants(); got != grants {
			t.Fatalf("seed %d: grants were\n%s\nand are\n%s", seed, grants, got)
		}
		if applied == 0 {
			continue
		}
		if !quiet {
			moved++
			continue
		}
		same++
		if got := st.reads(); got != all {
			t.Fatalf("seed %d: %s", seed, parting(all, got))
		}
		st.idle(st.now)
		st.replays()
	}
	t.Logf("%d fleets the same, in %d work moved meanwhile", same, moved)
	if same == 0 {
		t.Error("no fleet showed the law")
	}
}

// movesWork says whether work came, went or gave up its room in a record.
func movesWork(rec event.Record) bool {
	return slices.ContainsFunc(rec.Events, func(e event.Event) bool {
		switch e.(type) {
		case event.ReplicasPlaced, event.ReplicasStarted, event.ReplicasEvicted, event.GangReturned, event.ReservationEnded:
			return true
		}
		return false
	})
}

func (st *shorn) grants() string {
	var all []string
	for _, p := range st.s.Partitions {
		for _, a := range p.Accounts {
			all = append(all, fmt.Sprint(p.ID, a.Quota, a.Grant, a.Gang, a.Overcommit, a.Temporary))
		}
	}
	return fmt.Sprint(all)
}

// reads is all that decisions read of partitions and work.
func (st *shorn) reads() string {
	c := st.s.Clone()
	for _, p := range c.Partitions { // what became of promises is measured, and decides nothing
		p.Pledges, p.LongPledges = fleet.Pledges{}, fleet.Pledges{}
		for _, i := range p.Islands {
			i.Pledges = fleet.Pledges{}
		}
	}
	for _, w := range c.Workloads { // what people are told decides nothing
		w.Cut = nil
	}
	data, err := json.MarshalIndent(struct{ P, W any }{c.Partitions, c.Workloads}, "", " ")
	if err != nil {
		st.t.Fatal(err)
	}
	return string(data)
}

// parting shows where two texts part.
func parting(a, b string) string {
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	from := max(0, at-300)
	return fmt.Sprintf("was\n%s\n\nand is\n%s", a[from:min(len(a), at+300)], b[from:min(len(b), at+300)])
}

func (st *shorn) replays() {
	st.t.Helper()
	again := fleet.NewState()
	for _, rec := range st.log {
		data, err := event.Encode(rec)
		if err != nil {
			st.t.Fatal(err)
		}
		if rec, err = event.Decode(data); err != nil {
			st.t.Fatal(err)
		}
		core.ApplyRecord(again, rec)
	}
	if again.Hash() != st.s.Hash() {
		st.t.Fatalf("seed %d: replaying the log gives another state", st.seed)
	}
}
