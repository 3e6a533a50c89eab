package core

import (
	"fmt"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// person is a user who signed in, with some roles.
func person(name string, holds ...access.Grant) Actor {
	p := fleet.Principal{Kind: fleet.UserPrincipal, Name: name}
	return Actor{Name: p.String(), User: name, Principal: p, Brings: holds}
}

// A person who ends their own sign-ins one by one pushes none that others ended out of what the
// state remembers: the ended session of another person stays ended.
func TestNobodyPushesOutAnothersSignOff(t *testing.T) {
	s := fleet.NewState()
	do := func(by Actor, c Command, now fleet.Instant) *Refusal {
		_, refusal := Step(s, Request{Command: c, Actor: by}, now)
		return refusal
	}
	now := fleet.Instant(1000)
	if refusal := do(admin(fleet.UserPrincipal, "olga"), EndSessions{User: "ada", Session: "stolen"}, now); refusal != nil {
		t.Fatal(refusal)
	}
	mallory, done := person("mallory"), 0
	for i := range fleet.SignOffMemory + 1 {
		if do(mallory, EndSessions{User: "mallory", Session: fmt.Sprint("s", i)}, now+fleet.Instant(i)) == nil {
			done++
		}
	}
	if done != mostSignOffs || !s.SignedOff("ada", "stolen", 999) {
		t.Errorf("%d sign-offs one by one; ada's is remembered: %v", done, s.SignedOff("ada", "stolen", 999))
	}
	if refusal := do(mallory, EndSessions{User: "mallory"}, now+20_000); refusal != nil {
		t.Errorf("all at once: %v", refusal)
	}
	if refusal := do(mallory, EndSessions{User: "mallory", Session: "late"}, now.Add(25*time.Hour)); refusal != nil {
		t.Errorf("a day later: %v", refusal)
	}
}

// A person adds a bounded number of no-fly zones over their own work; an operator is not bounded.
func TestZonesOfOnePersonAreBounded(t *testing.T) {
	s, now := fleet.NewState(), fleet.Instant(time.Hour)
	do := func(by Actor, c Command) *Refusal {
		_, refusal := Step(s, Request{Command: c, Actor: by, Reason: "the story"}, now)
		return refusal
	}
	for _, c := range []Command{
		AddCluster{Name: "tiger"},
		AddPartition{Cluster: "tiger", GPU: "h200"},
		AddIslands{Partition: "tiger/h200", Islands: []NewIsland{{Name: "i1", Nodes: 2}}},
		Submit{Spec: fleet.Spec{Name: "w", Namespace: "oak", User: "mallory", Target: fleet.Flex, Priority: fleet.Mid, Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: 1, Max: 1, Reach: fleet.ReachIsland}}}},
	} {
		if refusal := do(System, c); refusal != nil {
			t.Fatalf("%T: %v", c, refusal)
		}
	}
	zone := func(i int) Command {
		return AddZone{Zone: fleet.Zone{
			Name: fmt.Sprint("z", i), Namespace: "oak", Workload: "w", Spans: []fleet.Span{{From: now, To: now.Add(time.Hour)}}, ZoneRecord: fleet.ZoneRecord{Reason: "r", Owner: "o", Link: "l"},
		}}
	}
	added := 0
	for i := range 2 * mostZones {
		name, refusal := zone(i), do(person("mallory"), zone(i))
		if refusal == nil {
			added++
		}
		if i == 0 && refusal != nil {
			t.Fatal(name, refusal)
		}
		_ = do(person("mallory"), EndZone{Name: fmt.Sprint("z", i)})
	}
	if added != mostZones {
		t.Errorf("%d zones, ended ones among them; %d may be added", added, mostZones)
	}
	if refusal := do(System, zone(1000)); refusal != nil {
		t.Errorf("Muster's own: %v", refusal)
	}
}

// A batch whose first command its sender may not do is refused without a copy of the state, which
// would keep all others waiting.
func TestARefusedBatchCostsNoCopy(t *testing.T) {
	s := fleet.NewState()
	if _, refusal := Step(s, Request{Command: AddCluster{Name: "tiger"}, Actor: System}, 1); refusal != nil {
		t.Fatal(refusal)
	}
	for i := range 20_000 {
		s.Remember(fleet.KeyUse{Key: fmt.Sprint("key", i), Seq: 1, At: 1})
	}
	r := Request{Command: Batch{Commands: []Command{CreateQuota{Path: "mine"}, CreateQuota{Path: "mine/too"}}}, Actor: person("mallory")}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, refusal := Step(s, r, 2); refusal == nil {
		t.Fatal("it is done")
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 64<<10 {
		t.Errorf("refusing it takes %d bytes", took)
	}
}

// waitingFor is a small fleet in which much waits on flex, far more than fits.
func waitingFor(t *testing.T, waiting int) *fleet.State {
	t.Helper()
	s := fleet.NewState()
	list := []Command{
		AddCluster{Name: "tiger"},
		AddPartition{Cluster: "tiger", GPU: "h200"},
		AddIslands{Partition: "tiger/h200", Islands: []NewIsland{{Name: "i1", Nodes: 4}}},
		CreateQuota{Path: "oak", Access: fleet.Access{Groups: []string{"all"}}},
		CreateQuota{Path: "elm", Access: fleet.Access{Groups: []string{"all"}}},
		SetGrant{Quota: "oak", Partition: "tiger/h200", GPUs: 16},
	}
	for i := range waiting {
		list = append(list, Submit{Spec: fleet.Spec{
			Name: fmt.Sprint("w", i), Namespace: "oak", User: "mallory", Target: fleet.Flex, Priority: fleet.Mid,
			Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: 1, Max: 1, Reach: fleet.ReachIsland}},
		}})
	}
	for i, c := range list {
		if _, refusal := Step(s, Request{Command: c, Actor: System, Reason: "the story"}, fleet.Instant(i+1)); refusal != nil {
			t.Fatalf("%T: %v", c, refusal)
		}
	}
	return s
}

// Several changes of quotas together copy nothing of what waits far behind: all others wait for
// the copy. What they come to is what they come to on a whole copy.
func TestChangesOfQuotasCopyNoQueue(t *testing.T) {
	s := waitingFor(t, 10_000)
	b := Batch{Commands: []Command{
		SetGrant{Quota: "oak", Partition: "tiger/h200", GPUs: 8},
		Transfer{From: "oak", To: "elm", Partition: "tiger/h200", GPUs: 8},
		SetGrant{Quota: "elm", Partition: "tiger/h200", GPUs: 16},
		SetOwner{Path: "elm", Owner: "ada"},
	}}
	r := Request{Command: b, Actor: System, Reason: "the story"}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	events, refusal := decideBatch(s, r, b, s.Time)
	runtime.ReadMemStats(&after)
	if refusal != nil {
		t.Fatal(refusal)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 2<<20 {
		t.Errorf("it takes %d kB", took>>10)
	}
	whole := s.Clone()
	var want []event.Event
	for _, c := range b.Commands {
		r.Command = c
		one, refusal := Decide(whole, r, s.Time)
		if refusal != nil {
			t.Fatal(refusal)
		}
		for _, e := range one {
			apply(whole, e, s.Time)
		}
		want = append(want, one...)
	}
	if !reflect.DeepEqual(events, want) {
		t.Errorf("on the copy: %v\non a whole one: %v", events, want)
	}
}

// A quota for which work waits far behind is not deleted by several changes together either.
func TestAQuotaWithWorkIsNotDeletedInABatch(t *testing.T) {
	s := waitingFor(t, 200)
	submit := func(i int) Command {
		return Submit{Spec: fleet.Spec{
			Name: fmt.Sprint("q", i), Namespace: "elm", User: "ada", Groups: []string{"all"}, Target: "elm", Priority: fleet.Mid,
			Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: 1, Max: 1, Reach: fleet.ReachIsland}},
		}}
	}
	if _, refusal := Step(s, Request{Command: submit(1), Actor: System}, s.Time+1); refusal != nil {
		t.Fatal(refusal)
	}
	b := Batch{Commands: []Command{SetOwner{Path: "oak", Owner: "ada"}, DeleteQuota{Path: "elm"}}}
	if _, refusal := decideBatch(s, Request{Command: b, Actor: System, Reason: "the story"}, b, s.Time); refusal == nil || refusal.Code != InUse {
		t.Errorf("it is deleted: %v", refusal)
	}
}
