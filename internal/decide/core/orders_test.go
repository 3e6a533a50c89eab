package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// oneNode is a story about one node, on which low's flex work gives way to the quota's.
func oneNode(t *testing.T) story {
	st := story{t, fleet.NewState()}
	st.do(0,
		core.AddCluster{Name: "tiger"}, core.AddPartition{Cluster: "tiger", GPU: "h200"},
		core.SetPolicy{Policy: unbuffered()},
		core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "i1", Nodes: 1}}},
		core.CreateQuota{Path: "q"}, core.SetGrant{Quota: "q", Partition: "tiger/h200", GPUs: 8})
	st.do(time.Minute, gang("low", "oak", fleet.Flex, fleet.Low, 1))
	return st
}

func unbuffered() fleet.Policy {
	p := fleet.DefaultPolicy()
	p.Buffer.Share = 0
	return p
}

func leavers(w *fleet.Workload) core.ReportStopped {
	return core.ReportStopped{ID: w.ID, Spots: w.Spots(func(r fleet.Replica) bool { return r.Phase == fleet.Leaving })}
}

// ignored asks that a report changes nothing at all.
func (st story) ignored(at time.Duration, what string, c core.Command) {
	st.t.Helper()
	before := st.s.Hash()
	if out := st.do(at, c); len(out.Record.Events) > 0 || st.s.Hash() != before {
		st.t.Fatalf("%s changed something: %+v", what, out.Record.Events)
	}
}

// TestAReportOfAnOldOrderFreesNobody evicts one workload twice from one node. A
// copy of the first answer comes while the second eviction waits for its own.
func TestAReportOfAnOldOrderFreesNobody(t *testing.T) {
	st := oneNode(t)
	low := st.s.Workload("oak", "low")
	st.do(2*time.Minute, gang("first", "elm", "q", fleet.Mid, 1))
	answer := leavers(low)
	st.do(3*time.Minute, answer)
	first := st.s.Workload("elm", "first")
	st.ignored(3*time.Minute, "a copy of an answer", answer)
	st.do(4*time.Minute, core.ReportFinished{ID: first.ID, Run: first.Run})
	if low.State != fleet.RunningW {
		t.Fatalf("low is %s, want running again", low.State)
	}
	st.ignored(5*time.Minute, "an answer while it runs again", answer)
	st.do(6*time.Minute, gang("second", "elm", "q", fleet.Mid, 1))
	st.ignored(6*time.Minute, "an answer to the order before", answer)
	if second := st.s.Workload("elm", "second"); second.State != fleet.Starting || low.State != fleet.Evicting {
		t.Fatalf("second is %s and low is %s; want starting and evicting", second.State, low.State)
	}
	st.do(7*time.Minute, leavers(low))
	if second := st.s.Workload("elm", "second"); second.State != fleet.RunningW {
		t.Fatalf("second is %s, want running", second.State)
	}
}

// TestTheEndOfAnOldRunEndsNothing hears of a run's end when the workload runs anew.
func TestTheEndOfAnOldRunEndsNothing(t *testing.T) {
	st := oneNode(t)
	low := st.s.Workload("oak", "low")
	old := core.ReportFinished{ID: low.ID, Run: low.Run, Failed: true}
	st.do(2*time.Minute, gang("first", "elm", "q", fleet.Mid, 1))
	st.do(3*time.Minute, leavers(low))
	first := st.s.Workload("elm", "first")
	st.do(4*time.Minute, core.ReportFinished{ID: first.ID, Run: first.Run})
	st.ignored(5*time.Minute, "the end of an old run", old)
	st.do(6*time.Minute, core.ReportFinished{ID: low.ID, Run: low.Run})
	if low.State != fleet.Finished {
		t.Fatalf("low is %s, want finished", low.State)
	}
}

// TestOrdersOnOneNodeAreToldApart shrinks an elastic pool on one node twice.
func TestOrdersOnOneNodeAreToldApart(t *testing.T) {
	st := oneNode(t)
	st.do(time.Minute, core.Cancel{Namespace: "oak", Name: "low"})
	st.do(time.Minute, leavers(st.s.Workload("oak", "low")))
	small := gang("small", "oak", fleet.Flex, fleet.Low, 1)
	small.Spec.Pools = []fleet.Pool{{Name: "w", GPUs: 1, Min: 1, Max: 8, Elastic: true, Reach: fleet.ReachAny}}
	st.do(2*time.Minute, small)
	for i, name := range []string{"a", "b"} {
		c := gang(name, "elm", "q", fleet.Mid, 1)
		c.Spec.Pools[0].GPUs = 2
		st.do(time.Duration(3+i)*time.Minute, c)
	}
	w := st.s.Workload("oak", "small")
	answers := leavers(w)
	if len(answers.Spots) != 2 || len(answers.Spots[0].Nodes) != 2 || answers.Spots[0].Order == answers.Spots[1].Order {
		t.Fatalf("leaving are %v, want two replicas by each of two orders", answers.Spots)
	}
	later := core.ReportStopped{ID: w.ID, Spots: answers.Spots[1:]}
	st.do(5*time.Minute, later)
	st.ignored(5*time.Minute, "a copy", later)
	if b := st.s.Workload("elm", "b"); b.State == fleet.Starting && w.InPhase(0, fleet.Leaving) != 2 {
		t.Fatalf("b is %s, %d replicas leave", b.State, w.InPhase(0, fleet.Leaving))
	}
	st.do(6*time.Minute, core.ReportStopped{ID: w.ID, Spots: answers.Spots[:1]})
	for _, name := range []string{"a", "b"} {
		if v := st.s.Workload("elm", name); v.State != fleet.RunningW {
			t.Fatalf("%s is %s, want running", name, v.State)
		}
	}
}

// TestASnapshotFromBeforeOrdersHadNumbersGoesOn forgets the numbers, as a
// snapshot of an older Muster has none.
func TestASnapshotFromBeforeOrdersHadNumbersGoesOn(t *testing.T) {
	st := oneNode(t)
	st.do(2*time.Minute, gang("first", "elm", "q", fleet.Mid, 1))
	data, err := st.s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	old := withoutFields(string(data), `,"o":`, `"run":`)
	if st.s, err = fleet.Decode([]byte(old)); err != nil {
		t.Fatal(err)
	}
	low := st.s.Workload("oak", "low")
	answer := leavers(low)
	if answer.Spots[0].Order != 0 {
		t.Fatalf("the order of %v has a number", answer.Spots)
	}
	st.do(3*time.Minute, answer)
	if first := st.s.Workload("elm", "first"); first.State != fleet.RunningW || low.State != fleet.Pending {
		t.Fatalf("first is %s and low is %s; want running and pending", first.State, low.State)
	}
}

// withoutFields takes numbers out of JSON text, by the text before them.
func withoutFields(text string, fields ...string) string {
	for _, field := range fields {
		for i := strings.Index(text, field); i >= 0; i = strings.Index(text, field) {
			end := i + len(field)
			for text[end] >= '0' && text[end] <= '9' {
				end++
			}
			if field[0] != ',' && text[end] == ',' {
				end++
			}
			text = text[:i] + text[end:]
		}
	}
	return text
}
