package core_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestACommandWithAKeyIsDoneOnce also across a snapshot, and by any follower of the log.
func TestACommandWithAKeyIsDoneOnce(t *testing.T) {
	st := smallFleet(t, 2)
	submit := core.Request{
		Command: job("n", "a", fleet.Flex, fleet.Mid, pool("w", 0, 8, 1)), Actor: core.System, Key: "k", Fingerprint: 7,
	}
	follower := st.s.Clone()
	first, refusal := core.Step(st.s, submit, moment(0))
	if refusal != nil {
		t.Fatal(refusal)
	}
	data, _ := event.Encode(first.Record)
	record, err := event.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	core.ApplyRecord(follower, record)
	for name, s := range map[string]*fleet.State{"the same process": st.s, "a restarted one": st.s.Clone(), "a standby": follower} {
		was := s.Hash()
		again, refusal := core.Step(s, submit, moment(time.Hour))
		if refusal != nil || again.Repeat != first.Record.Seq || len(again.Record.Events) > 0 || s.Hash() != was {
			t.Errorf("%s answers %+v (%v) to the same command, want a repeat of %d", name, again, refusal, first.Record.Seq)
		}
		other := submit
		other.Fingerprint = 8
		if _, refusal = core.Step(s, other, moment(time.Hour)); refusal == nil || refusal.Code != core.KeyReused || s.Hash() != was {
			t.Errorf("%s takes another command under the same key: %v", name, refusal)
		}
	}
}

func TestACommandMadeFromAnOldStateIsStale(t *testing.T) {
	st := smallFleet(t, 2)
	seen := st.s.Seq
	st.do(0, core.OpenIncident{Name: "meanwhile"})
	was := st.s.Hash()
	_, refusal := core.Step(st.s, core.Request{Command: core.CloseIncident{Name: "meanwhile"}, Actor: core.System, Expect: seen}, moment(0))
	if refusal == nil || refusal.Code != core.Stale || st.s.Hash() != was {
		t.Errorf("answer %v, want Stale and nothing changed", refusal)
	}
}

// TestOldWorkloadsAreForgotten: the state keeps the last ended workloads only,
// and a restored one keeps the same, and answers to names alike.
func TestOldWorkloadsAreForgotten(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("20,000 workloads")
	}
	st := smallFleet(t, 1)
	name := func(i int) string { return fmt.Sprint("w", i%(fleet.EndedMemory+5)) }
	for i := range fleet.EndedMemory + 10 {
		st.do(time.Duration(i)*time.Second, job("n", name(i), fleet.Flex, fleet.Mid, pool("w", 0, 8, 1)))
		st.do(time.Duration(i)*time.Second, core.ReportFinished{ID: st.s.Workload("n", name(i)).ID})
	}
	if n := len(st.s.Workloads); n > fleet.EndedMemory {
		t.Errorf("%d workloads are kept, want at most %d", n, fleet.EndedMemory)
	}
	c := st.s.Clone()
	for i := range fleet.EndedMemory + 10 {
		a, b := st.s.Workload("n", name(i)), c.Workload("n", name(i))
		if (a == nil) != (b == nil) || (a != nil && a.ID != b.ID) {
			t.Fatalf("%s is %v here and %v in a restored state", name(i), a, b)
		}
	}
	st.holds()
}
