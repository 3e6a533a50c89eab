package core_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/buildout"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

var buildoutFlag = flag.Uint64("buildouts", 40, "how many random build-outs of clusters are lived")

// perNode is the cores of each meter that a node takes, by version of the blueprint.
var perNode = [][]fleet.Meter{{{Meter: "nd", PerNode: 10}}, {{Meter: "nd", PerNode: 10}, {Meter: "cores", PerNode: 12}}}

// buildoutLife is a fleet in which clusters are built, and the cloud in which they are.
type buildoutLife struct {
	*testing.T
	seed    uint64
	draw    *rand.Rand
	s       *fleet.State
	now     fleet.Instant
	limit   map[string]int            // of each meter; others use a fourth of it
	fair    bool                      // the cloud counts what is so, late; else it says anything
	sets    map[string]standingSets   // scale sets, by cluster
	ordered map[string]map[string]int // what scale sets are to take, by operation and meter
	last    core.Command
}

// standingSets are scale sets that stand.
type standingSets struct {
	cores   map[string]int // by meter
	before  map[string]int // that were counted before
	counted fleet.Instant  // when the cloud has come to count them
}

var buildingAccounts = []string{"s/east", "s/west"}

var builtClusters = []string{"ant", "bee", "cat", "dog", "elk"}

// Whatever is reported, seen, done by people and counted, in whatever order: deciding
// again changes nothing, no cores are given that are not free, and nothing enters production
// that does not hold. A ledger that is kept is the one that would be drawn up anew.
func TestBuildoutsComeToRest(t *testing.T) {
	t.Parallel()
	for seed := range *buildoutFlag {
		l := newBuildoutLife(t, seed)
		for i := 0; i < 250 && !t.Failed(); i++ {
			l.step()
		}
		if t.Failed() {
			t.Fatalf("seed %d, after %T %+v", seed, l.last, l.last)
		}
	}
}

func newBuildoutLife(t *testing.T, seed uint64) *buildoutLife {
	draw := rand.New(rand.NewPCG(seed, 9))
	l := &buildoutLife{T: t, seed: seed, draw: draw, s: fleet.NewState(), now: moment(0), fair: seed%2 == 0, sets: map[string]standingSets{}, ordered: map[string]map[string]int{}, limit: map[string]int{"nd": 60 + draw.IntN(200), "cores": 100 + draw.IntN(300)}}
	ways := []fleet.CheckinWay{fleet.CheckinPerson, fleet.CheckinGit, fleet.CheckinInventory}
	for i, meters := range perNode {
		l.do(core.AddBlueprint{Blueprint: fleet.Blueprint{
			Name: "nd", Version: i + 1, Meters: meters, Checkin: ways[draw.IntN(3)], Mode: fleet.Enforce, Parallel: draw.IntN(2) == 0, Ready: 700, RequestQuota: draw.IntN(2) == 0,
			Takes: map[fleet.Step]time.Duration{fleet.StepPipeline: 40 * time.Minute, fleet.StepJoin: 5 * time.Minute},
		}})
	}
	for _, name := range builtClusters {
		l.do(core.PlanCluster{Record: l.record(name)})
	}
	return l
}

func (l *buildoutLife) record(name string) fleet.ClusterRecord {
	return fleet.ClusterRecord{
		Name: name, Subscription: "s", Region: "east", GPU: "g", Priority: fleet.Priority(l.draw.IntN(3) + 1), Blueprint: "nd",
		Islands: []fleet.RecordIsland{{Name: "a", Nodes: 1 + l.draw.IntN(4)}},
	}
}

// do gives a command, and looks whether the laws hold. Refusals are welcome.
func (l *buildoutLife) do(c core.Command) {
	l.last = c
	before := l.s.Clone()
	out, refusal := core.Step(l.s, core.Request{Command: c, Actor: core.System}, l.now)
	if refusal != nil {
		return
	}
	l.kept(before, out.Record.Events)
	for _, e := range out.Record.Events {
		switch e := e.(type) {
		case event.CoresReserved:
			l.solvent(e)
		case event.OperationIntended:
			l.begins(e)
		case event.OperationReported:
			l.stands(e)
		case event.LifeTurned:
			if v := core.Look(l.s, l.s.Life(e.Cluster), l.now); e.Stage == event.LifeProduced && v.Waits() != nil && !v.Degraded {
				l.Errorf("%s entered production and waits for %s", e.Cluster, v.Waits().Type)
			}
		}
	}
	if !core.Idle(l.s, l.now) {
		again, _ := core.Step(l.s.Clone(), core.Request{Command: core.Tick{}, Actor: core.System}, l.now)
		l.Errorf("deciding again changes something: %+v", again.Record.Events)
	}
}

// kept says that a ledger which is kept from event to event is at each the one that is drawn up anew.
func (l *buildoutLife) kept(s *fleet.State, events []event.Event) {
	for _, e := range events {
		for _, account := range buildingAccounts {
			core.KeptLedger(s, account, l.now)
		}
		core.Apply(s, e, l.now)
		for _, account := range buildingAccounts {
			for _, at := range []fleet.Instant{l.now, l.now.Add(buildout.Fresh), l.now.Add(buildout.Fresh + 1)} {
				if kept, anew := core.KeptLedger(s, account, at), core.LedgerOf(s, account, at); !reflect.DeepEqual(kept, anew) {
					l.Errorf("after %T %+v the ledger of %s is kept as\n%+v, and it is\n%+v", e, e, account, kept, anew)
				}
			}
		}
	}
}

// begins keeps what scale sets are to take.
func (l *buildoutLife) begins(e event.OperationIntended) {
	if e.Step != fleet.StepScaleSets {
		return
	}
	x, cores := l.s.Life(e.Cluster), map[string]int{}
	for _, m := range l.s.BlueprintOf(x).Meters {
		cores[m.Meter] = m.PerNode * x.Record.Nodes()
	}
	l.ordered[e.ID] = cores
}

// stands lets scale sets stand, or go.
func (l *buildoutLife) stands(e event.OperationReported) {
	switch {
	case e.State != fleet.OperationSucceeded:
	case e.Step == fleet.StepTeardown:
		delete(l.sets, e.Cluster)
	case e.Step == fleet.StepScaleSets:
		was := l.sets[e.Cluster]
		is := standingSets{cores: l.ordered[e.ID], counted: l.now.Add(time.Duration(l.draw.IntN(30)) * time.Minute)}
		if was.counted <= l.now {
			is.before = was.cores
		}
		l.sets[e.Cluster] = is
	}
}

// solvent says that the ledger gave no cores that are not there.
func (l *buildoutLife) solvent(e event.CoresReserved) {
	account := l.s.Life(e.Cluster).Record.Account()
	if account != "s/east" {
		l.Errorf("%s was given cores of %s, which nobody counts", e.Cluster, account)
	}
	for _, m := range core.LedgerOf(l.s, account, l.now).Meters {
		for _, r := range e.Reserved {
			if r.Meter == m.Meter && m.Free < 0 {
				l.Errorf("%s was given cores that are not free: %+v", e.Cluster, m)
			}
		}
	}
	for meter, limit := range l.limit { // whatever the cloud's count lags: all that is promised fits
		promised := limit / 4
		for _, x := range l.s.Lives {
			stands := l.sets[x.Record.Name].cores[meter]
			promised += max(x.ReservedOf(meter)+min(x.Settled[meter], stands), stands)
		}
		if l.fair && promised > limit {
			l.Errorf("%d cores of %s are promised or used, of %d", promised, meter, limit)
		}
	}
}

func (l *buildoutLife) step() {
	name := builtClusters[l.draw.IntN(len(builtClusters))]
	x := l.s.Life(name)
	switch k := l.draw.IntN(20); {
	case k < 3:
		l.now = l.now.Add(time.Duration(l.draw.IntN(20)) * time.Minute)
		l.do(core.Tick{})
	case k < 6:
		l.do(l.counts())
	case k < 12:
		l.report(x)
	case k < 14:
		l.do(core.ReportEvidence{Cluster: name, Seen: []fleet.StepEvidence{l.evidence(x), l.evidence(x)}})
	case k < 16:
		l.do(core.ConfirmOutside{
			Clusters: []string{name}, Accounts: l.same(), At: l.now.Add(-time.Duration(l.draw.IntN(3)) * time.Second),
			Steps: []fleet.SeenAgain{{Cluster: builtClusters[0], Steps: fleet.Steps()[:1+l.draw.IntN(9)]}},
		})
	case k < 18:
		l.person(x)
	default:
		l.fleet(name)
	}
}

// counts is what the cloud says: the truth, which lags behind scale sets, or anything.
func (l *buildoutLife) counts() core.ReportCounts {
	c := core.ReportCounts{Subscription: "s", Region: "east"}
	if l.draw.IntN(8) == 0 {
		c.Error = "429 too many requests"
		return c
	}
	for _, meter := range []string{"cores", "nd"} {
		count := fleet.CloudCount{Meter: meter, Limit: l.limit[meter], Used: l.limit[meter] / 4}
		for _, is := range l.sets {
			if is.counted <= l.now {
				count.Used += is.cores[meter]
			} else {
				count.Used += is.before[meter]
			}
		}
		if !l.fair {
			count = fleet.CloudCount{Meter: meter, Limit: l.draw.IntN(300), Used: l.draw.IntN(200)}
		}
		c.Counts = append(c.Counts, count)
	}
	return c
}

// same is the account, where the cloud counts what the state says of it.
func (l *buildoutLife) same() []string {
	is, c := l.s.CloudAccount("s/east"), l.counts()
	if l.fair && (is == nil || !slices.Equal(is.Counts, c.Counts)) {
		return nil
	}
	return []string{"s/east"}
}

func (l *buildoutLife) report(x *fleet.Life) {
	if len(x.Steps) == 0 {
		return
	}
	st := x.Steps[l.draw.IntN(len(x.Steps))]
	states := []fleet.OperationState{fleet.OperationRunning, fleet.OperationBlocked, fleet.OperationSucceeded, fleet.OperationSucceeded, fleet.OperationFailed}
	classes := []fleet.ErrorClass{fleet.ErrorUnknown, fleet.ErrorRetry, fleet.ErrorWait, fleet.ErrorFix, fleet.ErrorPerson}
	l.do(core.ReportOperation{
		Cluster: x.Record.Name, Step: st.Step, ID: st.Operation.ID, State: states[l.draw.IntN(len(states))], Refused: l.draw.IntN(8) == 0,
		Link: fmt.Sprint("link ", l.draw.IntN(2)), Class: classes[l.draw.IntN(5)], Error: "drawn", After: time.Duration(l.draw.IntN(3)) * time.Minute,
	})
}

func (l *buildoutLife) evidence(x *fleet.Life) fleet.StepEvidence {
	return fleet.StepEvidence{
		Step: fleet.Steps()[l.draw.IntN(10)], Holds: l.draw.IntN(4) > 0, Generation: x.Generation - l.draw.IntN(2),
		At: l.now.Add(-time.Duration(l.draw.IntN(10)) * time.Minute), Detail: fmt.Sprint("seen ", l.draw.IntN(2)),
	}
}

// person does what people do.
func (l *buildoutLife) person(x *fleet.Life) {
	name := x.Record.Name
	switch l.draw.IntN(4) {
	case 0:
		l.do(core.CheckIn{Cluster: name})
	case 1:
		r := x.Record
		r.Islands = []fleet.RecordIsland{{Name: "a", Nodes: r.Nodes() + l.draw.IntN(2)}}
		r.Priority, r.WantedBy, r.Region = fleet.Priority(l.draw.IntN(3)+1), fleet.Instant(l.draw.IntN(3)), "east"
		if l.draw.IntN(4) == 0 {
			r.Region = "west" // which is refused where something was reserved or begun
		}
		l.do(core.ChangeCluster{Record: r, Version: l.draw.IntN(3)})
	default:
		steers := core.Steers()
		do := steers[l.draw.IntN(len(steers))]
		if do == core.Retire && l.draw.IntN(3) > 0 {
			do = core.Go
		}
		l.do(core.SteerCluster{Cluster: name, Do: do, Confirm: name})
	}
}

// fleet is what happens to clusters that are in the fleet.
func (l *buildoutLife) fleet(name string) {
	states := []fleet.NodeState{fleet.Healthy, fleet.Quarantined, fleet.Healthy}
	switch l.draw.IntN(4) {
	case 0:
		l.do(core.StopReports{Cluster: name})
	case 1:
		l.do(core.ResumeReports{Cluster: name})
	case 2:
		l.do(core.AddIslands{Partition: name + "/g", Islands: []core.NewIsland{{Name: "a", Nodes: 1}}})
	default:
		l.do(core.SetNodes{Names: []string{name + "-g-a-001"}, State: states[l.draw.IntN(3)], Signal: "drawn"})
	}
}
