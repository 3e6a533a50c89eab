package core_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// lent are the fields whose memory a copy of the state may share with it,
// because no code writes into them: they are replaced as a whole.
var lent = map[string]bool{
	"Spec.Pools": true, "Spec.Groups": true, "Access.Users": true, "Access.Groups": true, "Access.Namespaces": true, "QuotaRequest.Access": true,
	"Incident.Nodes": true, "Subscription.Kinds": true, "State.Health": true,
	"Workload.LostLately": true,
}

// owned walks everything that a value reaches and notes the memory that writing
// could reach: of pointers, maps and slices, by the field where it was found.
func owned(v reflect.Value, field string, found map[uintptr]string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Map:
		if v.IsNil() || found[v.Pointer()] != "" {
			return
		}
		found[v.Pointer()] = field
	case reflect.Slice:
		if v.Cap() > 0 && v.Type().Elem().Size() > 0 {
			found[v.Pointer()] = field
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			owned(v.Elem(), field, found)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			name := v.Type().Name() + "." + v.Type().Field(i).Name
			if !lent[name] {
				owned(v.Field(i), name, found)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			owned(v.Index(i), field, found)
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			owned(it.Key(), field, found)
			owned(it.Value(), field, found)
		}
	}
}

// A what-if that wrote into the fleet it copied would decide things that no person
// asked for. So no copy shares memory that anybody writes into, whatever fields
// have come to the state since the copies were written.
func TestCopiesShareNothingThatChanges(t *testing.T) {
	s := busy(t)
	before := map[uintptr]string{}
	owned(reflect.ValueOf(s), "State", before)
	if len(before) < 200 {
		t.Fatalf("the state reaches only %d pieces of memory: it is too empty to tell", len(before))
	}
	var arena, trials fleet.Arena
	s.ForkInto(&arena)
	s.ForkTrial(s.Partitions, nil, &trials)
	none := func(*fleet.Workload) bool { return true }
	for name, c := range map[string]*fleet.State{"fork": s.Fork(), "clone": s.Clone(), "fork ahead": s.ForkAhead(2), "second fork into an arena": s.ForkInto(&arena), "trial": s.ForkTrial(s.Partitions, none, &trials)} {
		after, shared := map[uintptr]string{}, map[string]bool{}
		owned(reflect.ValueOf(c), "State", after)
		for at, field := range after {
			if was, both := before[at]; both {
				shared[fmt.Sprintf("%s (in the state %s)", field, was)] = true
			}
		}
		for field := range shared {
			t.Errorf("the %s shares %s with the state: copy it there", name, field)
		}
	}
}

// What-ifs run on copies of copies that know less and less of the past: a failure
// that waits to be explained when its workload is forgotten stops no other.
func TestACopyThatForgetsThePastGoesOn(t *testing.T) {
	st := smallFleet(t, 4)
	st.do(0, job("ann", "sweep", fleet.Flex, fleet.Mid, pool("w", 0, 8, 2)))
	w := st.s.Workload("ann", "sweep")
	st.do(time.Minute, core.ReportFinished{ID: w.ID, Failed: true, Run: w.Run})
	for name, c := range map[string]*fleet.State{"lightened": st.s.Fork(), "forked": st.s} {
		if name == "lightened" {
			c = c.ForkTrial(c.Partitions, nil, &fleet.Arena{})
		} else {
			delete(c.Workloads, w.ID) // as the state forgets ended work in time
			c.EndedOrder = nil
		}
		again := c.Fork()
		if _, refusal := core.Step(again, core.Request{Command: core.Tick{}, Actor: core.System}, moment(time.Hour)); refusal != nil {
			t.Errorf("%s: %v", name, refusal)
		}
	}
}

// busy is a small fleet in the middle of everything: work that runs, waits,
// borrows and leaves, nodes that are out, holds, incidents and subscriptions.
func busy(t *testing.T) *fleet.State {
	st := smallFleet(t, 4, 4, 3)
	st.quota(0, "t/x", 4, 2)
	st.quota(0, "t/y", 3, 0)
	st.do(0,
		core.SetBuffer{Scope: "t/g/c", Buffer: fleet.Buffer{Kind: fleet.Fixed, Share: 100}},
		core.PlaceHold{Quota: "t/x", Partition: "t/g", GPUs: 8, Until: moment(time.Hour), User: "ada"},
		core.OpenIncident{Name: "sev-1", Scope: "t"},
		core.RequestQuota{Quota: "t/y", Partition: "t/g", GPUs: 16},
		core.OfferQuota{ID: 1, From: "t/x", GPUs: 8},
		core.Subscribe{Subscription: fleet.Subscription{Name: "all", URL: "https://example.com/x", Kinds: []fleet.NoticeKind{fleet.NoticeCut}}},
		job("zoe", "sweep", fleet.Flex, fleet.Mid, elastic("w", 0, 4, 2, 30)),
		job("ann", "sweep", fleet.Flex, fleet.Low, pool("w", 0, 8, 2)),
		job("oak", "long", "t/x", fleet.Mid, pool("w", 0, 8, 2), elastic("g", 1, 1, 1, 9)),
		job("elm", "guest", "t/y", fleet.Low, pool("w", 0, 8, 4)),
		job("elm", "more", "t/y", fleet.High, pool("w", 0, 8, 2)),
		job("bob", "wide", fleet.Flex, fleet.High, pool("w", 0, 8, 3)),
	)
	st.do(time.Minute, core.SetNodes{Names: []string{"t-g-a-001"}, State: fleet.Quarantined, Signal: "XID 79"},
		core.SetNodes{Names: []string{"t-g-b-001"}, State: fleet.Degraded, Dead: 2, Signal: "XID 95"},
		core.Retarget{Namespace: "ann", Name: "sweep", Target: "t/y"})
	return st.s
}

// On a copy with the first waiting units of each kind alone the same is decided as on a whole
// one, and the copy costs the less the more waits behind them.
func TestACopyOfTheFirstsDecidesTheSame(t *testing.T) {
	s := busy(t)
	for i := range 300 {
		for _, submit := range []core.Command{job("zoe", fmt.Sprint("s", i), fleet.Flex, fleet.Low, pool("w", 0, 8, 2)), job("elm", fmt.Sprint("e", i), "t/y", fleet.Low, pool("w", 0, 4, 1+i%3))} {
			if _, refusal := core.Step(s, core.Request{Command: submit, Actor: core.System}, moment(time.Hour)); refusal != nil {
				t.Fatal(refusal)
			}
		}
	}
	if whole, ahead := len(s.Fork().Workloads), len(s.ForkAhead(64).Workloads); whole < 600 || ahead > 300 {
		t.Fatalf("%d of %d workloads are copied", ahead, whole)
	}
	free := make([]string, 0, 3)
	for _, n := range s.Partition("t/g").Nodes[:3] {
		free = append(free, n.Name)
	}
	for _, c := range []core.Command{
		core.Tick{},
		core.SetGrant{Quota: "t/x", Partition: "t/g", GPUs: 8},
		core.SetGrant{Quota: "t/y", Partition: "t/g", GPUs: 48},
		core.SetNodes{Names: free, State: fleet.Quarantined, Signal: "XID 79"},
		job("zoe", "another", fleet.Flex, fleet.High, pool("w", 0, 8, 1)), job("zoe", "later", fleet.Flex, fleet.Low, pool("w", 0, 8, 2)), job("oak", "own", "t/x", fleet.Critical, pool("w", 0, 8, 2)), job("elm", "small", "t/y", fleet.Mid, pool("w", 0, 1, 1)),
		core.Cancel{Namespace: "elm", Name: "guest"},
		core.Cancel{Namespace: "oak", Name: "long"},
		core.Retarget{Namespace: "elm", Name: "guest", Target: fleet.Flex},
	} {
		r := core.Request{Command: c, Actor: core.System, Reason: "tried"}
		want, no := core.Step(s.Fork(), r, moment(2*time.Hour))
		got, also := core.Step(s.ForkAhead(64), r, moment(2*time.Hour))
		if !reflect.DeepEqual(want.Record.Events, got.Record.Events) || (no == nil) != (also == nil) {
			t.Errorf("%T: %v, %v; on the whole %v, %v", c, got.Record.Events, also, want.Record.Events, no)
		}
	}
}

// What is tried is tried on what ForkAhead gives, however many trials there were before.
func TestEachTrialIsOnACopyOfItsOwn(t *testing.T) {
	s := busy(t)
	want := s.ForkAhead(2).Hash()
	for n := range 3 {
		c := s.TryAhead(2)
		if got := c.Hash(); got != want {
			t.Errorf("trial %d is on %s, not on %s", n+1, got, want)
		}
		for _, w := range slices.Clone(c.Alive()) {
			c.End(w, fleet.Cancelled, c.Time)
		}
	}
	if s.ForkAhead(2).Hash() != want {
		t.Error("a trial changed the state")
	}
}
