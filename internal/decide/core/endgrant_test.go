package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// until is 24 GPUs more for oak until a moment.
func until(d time.Duration) core.SetGrant {
	return core.SetGrant{Quota: "oak", Partition: "tiger/h200", GPUs: 24, Until: moment(d), KeepGang: true}
}

// onLoan is 8 nodes, of which oak has 3 for good and 3 until two days have passed. Its first
// gang of 3 is guaranteed for good, its second until then.
func onLoan(t *testing.T) tale {
	st := granted(t, 24)
	out, refusal := core.Step(st.s, core.Request{Command: until(48 * time.Hour), Actor: core.System, Reason: "demo week"}, moment(2*time.Minute))
	if refusal != nil || len(out.Record.Events) == 0 {
		t.Fatalf("%v %+v", refusal, out)
	}
	for _, name := range []string{"third", "fourth"} {
		st.do(3*time.Minute, job("ns", name, "oak", fleet.Mid, pool("p", 0, 8, 3)))
	}
	return st
}

// tick lets time pass, and says what it brought.
func tick(t *testing.T, s *fleet.State, d time.Duration) []event.Event {
	t.Helper()
	out, refusal := core.Step(s, core.Request{Command: core.Tick{}, Actor: core.System}, moment(d))
	if refusal != nil {
		t.Fatal(refusal)
	}
	return out.Record.Events
}

// TestTheEndOfAGrantIsAnnouncedAndTold: a day before, the people of the quota are told once, with
// the work that would be unprotected; at the end that work is, and its people are told by whom and
// why it was granted. The log replays to the same state.
func TestTheEndOfAGrantIsAnnouncedAndTold(t *testing.T) {
	st := onLoan(t)
	if events := tick(t, st.s, 23*time.Hour); len(events) != 0 {
		t.Fatalf("too early: %+v", events)
	}
	soon := tick(t, st.s, 24*time.Hour)
	if len(soon) != 1 {
		t.Fatalf("a day before: %+v", soon)
	}
	e, _ := soon[0].(event.GrantEnding)
	if e.GPUs != 24 || len(e.Work) != 1 || e.Work[0].Workload != "ns/fourth" || e.Work[0].GPUs != 24 || e.Work[0].Owner != "oak-owner" {
		t.Fatalf("announced as %+v", e)
	}
	if events := tick(t, st.s, 25*time.Hour); len(events) != 0 {
		t.Fatalf("told twice: %+v", events)
	}
	if at := st.s.NextAlarm(); at > moment(48*time.Hour) {
		t.Fatalf("nothing wakes the engine at the end, but at %v", at)
	}
	var ended event.GrantEnded
	var cut event.ProtectionCut
	for _, e := range tick(t, st.s, 48*time.Hour) {
		switch e := e.(type) {
		case event.GrantEnded:
			ended = e
		case event.ProtectionCut:
			cut = e
		}
	}
	if ended.GPUs != 24 || ended.Ended.GPUs != 24 || ended.Ended.Reason != "demo week" {
		t.Errorf("ended as %+v", ended)
	}
	if w := st.s.Workloads[cut.ID]; w == nil || w.Name != "fourth" || cut.GPUs != 24 || cut.By != core.System.Name || cut.Reason != "demo week" || !strings.Contains(cut.Change, "24 GPUs of the grant of oak in tiger/h200 ended at") {
		t.Errorf("told %+v", cut)
	}
	if a := st.s.Partition("tiger/h200").Account("oak"); a.Grant != 24 || a.Temporary != (fleet.Temporary{}) {
		t.Errorf("left %+v", a)
	}
	again, err := st.s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if back, err := fleet.Decode(again); err != nil || back.Hash() != st.s.Hash() {
		t.Errorf("the state does not come back: %v", err)
	}
}

// TestAStateThatComesBackStillEndsAGrant: what ends and when is in the state; an index that
// was built anew, and every kind of copy, ends it at the same moment.
func TestAStateThatComesBackStillEndsAGrant(t *testing.T) {
	st := onLoan(t)
	data, err := st.s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := fleet.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*fleet.State{"decoded": back, "a clone": st.s.Clone(), "a fork": st.s.Fork(), "a part": st.s.ForkOf(st.s.Partitions)} {
		tick(t, s, 48*time.Hour)
		if a := s.Partition("tiger/h200").Account("oak"); a.Grant != 24 || a.Temporary.GPUs != 0 {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

// TestWhatEndsOfAGrantIsSetApart: what lasts and what ends are changed each by itself, with
// the gang of each, and what ends is not given on.
func TestWhatEndsOfAGrantIsSetApart(t *testing.T) {
	account := func(st tale) (lasts, ends, gang, gangAfter int) {
		a := st.s.Partition("tiger/h200").Account("oak")
		return a.Lasting(), a.Temporary.GPUs, a.Gang, a.Temporary.Gang
	}
	for _, one := range []struct {
		name string
		do   core.Command
		want [4]int
	}{
		{"more of what ends, with a gang", core.SetGrant{Quota: "oak", Partition: "tiger/h200", GPUs: 16, Until: moment(time.Hour), Gang: 32}, [4]int{24, 16, 32, 0}},
		{"another gang of what lasts", core.SetGrant{Quota: "oak", Partition: "tiger/h200", GPUs: 24, Gang: 16}, [4]int{24, 24, 16, 16}},
		{"less of what lasts, the gang kept", core.SetGrant{Quota: "oak", Partition: "tiger/h200", GPUs: 8, KeepGang: true}, [4]int{8, 24, 0, 0}},
		{"nothing ends any more", core.SetGrant{Quota: "oak", Partition: "tiger/h200", Until: moment(0)}, [4]int{24, 0, 0, 0}},
		{"a transfer of what lasts", core.Transfer{From: "oak", To: "elm", Partition: "tiger/h200", GPUs: 24}, [4]int{0, 24, 0, 0}},
	} {
		t.Run(one.name, func(t *testing.T) {
			st := onLoan(t)
			if _, refusal := core.Step(st.s, core.Request{Command: one.do, Actor: core.System, Reason: "test"}, moment(4*time.Minute)); refusal != nil {
				t.Fatal(refusal)
			}
			lasts, ends, gang, after := account(st)
			if got := [4]int{lasts, ends, gang, after}; got != one.want {
				t.Errorf("%v, not %v", got, one.want)
			}
		})
	}
	for name, refused := range map[string]struct {
		do   core.Command
		code core.Code
		says string
	}{
		"what ends is given on":  {core.Transfer{From: "oak", To: "elm", Partition: "tiger/h200", GPUs: 32}, core.Invalid, "24 that end at"},
		"an end that has passed": {until(time.Second), core.Invalid, "would have ended already"},
		"no end to take away":    {core.SetGrant{Quota: "elm", Partition: "tiger/h200", Until: moment(0)}, core.NothingToDo, "nothing of the grant of elm"},
		"more than is there":     {core.SetGrant{Quota: "elm", Partition: "tiger/h200", GPUs: 8, Until: moment(time.Hour)}, core.Overpromise, "can sustain 64"},
	} {
		st := onLoan(t)
		hash := st.s.Hash()
		_, refusal := core.Step(st.s, core.Request{Command: refused.do, Actor: core.System, Reason: "test"}, moment(4*time.Minute))
		if refusal == nil || refusal.Code != refused.code || !strings.Contains(refusal.Message, refused.says) || st.s.Hash() != hash {
			t.Errorf("%s: %+v", name, refusal)
		}
	}
}

// TestOneGPUUntilAMomentKeepsWhoGrantedItAndWhy: the end of the smallest grant can be explained, also
// where another person changes what lasts of it meanwhile.
func TestOneGPUUntilAMomentKeepsWhoGrantedItAndWhy(t *testing.T) {
	st := granted(t, 24)
	one := core.SetGrant{Quota: "oak", Partition: "tiger/h200", GPUs: 1, Until: moment(48 * time.Hour), KeepGang: true}
	if _, refusal := core.Step(st.s, core.Request{Command: one, Actor: core.System, Reason: "demo"}, moment(time.Minute)); refusal != nil {
		t.Fatal(refusal)
	}
	lasting := core.SetGrant{Quota: "oak", Partition: "tiger/h200", GPUs: 32, KeepGang: true}
	if _, refusal := core.Step(st.s, core.Request{Command: lasting, Actor: ops, Reason: "growth"}, moment(time.Hour)); refusal != nil {
		t.Fatal(refusal)
	}
	if is := st.s.Partition("tiger/h200").Account("oak").Temporary; is.GPUs != 1 || is.Reason != "demo" || is.By != core.System.Name || is.Told {
		t.Errorf("%+v", is)
	}
}
