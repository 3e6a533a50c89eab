package past_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/past"
	"github.com/muster-fleet/muster/internal/decide/promise/buffer"
	"github.com/muster-fleet/muster/internal/decide/promise/trial"
)

const (
	anHour = int64(time.Hour / time.Millisecond)
	aDay   = 24 * anHour
)

// tenNodes is a book of ten nodes that came on day 1, with episodes.
func tenNodes(episodes ...past.Episode) *past.Book {
	b := past.New()
	for i := range 10 {
		b.Nodes[fmt.Sprintf("n%d", i)] = &past.NodeLife{Partition: "tiger/h200", Island: "i1", GPUs: 8, Added: aDay}
	}
	b.Partitions["tiger/h200"] = &past.Meter{}
	b.Episodes = episodes
	return b
}

func out(node string, from, to int64, cause string) past.Episode {
	return past.Episode{Node: node, Partition: "tiger/h200", Island: "i1", Cause: cause, GPUs: 8, From: from, To: to}
}

// fixed is policies that keep back a share, in thousandths.
func fixed(shares ...int) (list []trial.Policy) {
	for _, share := range shares {
		list = append(list, trial.Policy{Kind: "fixed", Share: float64(share) / 1000})
	}
	return list
}

// Policies that learn are tried as fixed ones are: what they keep back and break is
// judged in the same hours, and on a past without failures none breaks anything.
func TestFrontierTriesPoliciesThatLearn(t *testing.T) {
	var list []trial.Policy
	for _, kind := range append([]string{"rolling"}, buffer.Kinds()...) {
		list = append(list, trial.Policy{Kind: kind, Confidence: 0.99, Floor: 0.02, Ceiling: 0.3})
	}
	at := 3*aDay + 6*anHour
	quiet, w := tenNodes(), past.Window{From: 2 * aDay, To: 6 * aDay}
	fails := tenNodes(out("n1", at, at+2*anHour, "xid"), out("n2", at, at+2*anHour, "xid"), out("n3", at, at+2*anHour, "xid"), out("n4", at, at+2*anHour, "xid"))
	for i, got := range quiet.Frontier("", list, w) {
		if got.Issued != 73 || got.Broken != 0 {
			t.Errorf("%s: %d issued, %d broken, where nothing failed", list[i].Kind, got.Issued, got.Broken)
		}
		if got := fails.Frontier("", list, w)[i]; got.Issued != 73 || got.Broken == 0 {
			t.Errorf("%s: %d issued, %d broken, though four of ten nodes fell at once", list[i].Kind, got.Issued, got.Broken)
		}
	}
}

// Two of ten nodes are out for two hours of the third day. A promise of nine is
// broken in every hour whose next 24 hours have those two in it; one of eight never.
func TestFrontierCountsBrokenPromises(t *testing.T) {
	at := 3*aDay + 6*anHour
	b := tenNodes(out("n1", at, at+2*anHour, "xid"), out("n2", at, at+2*anHour, "xid"))
	list := b.Frontier("", fixed(0, 100, 200, 300), past.Window{From: 2 * aDay, To: 6 * aDay})
	for i, want := range []struct {
		issued, broken int
		buffer         float64
	}{
		// 4 days have 96 hours; the last 23 of them are not judged. Promises of 10 and 9
		// break from 24 hours before the fall until it, and are lowered to 8 for 24 hours after it.
		{73, 23, 0}, {73, 23, 0}, {73, 0, 0.2}, {73, 0, 0.3},
	} {
		if got := list[i]; got.Issued != want.issued || got.Broken != want.broken {
			t.Errorf("a buffer of %g: %d issued, %d broken; want %d and %d", got.Policy.Share, got.Issued, got.Broken, want.issued, want.broken)
		}
		if want.buffer > 0 && (list[i].Buffer < want.buffer-0.001 || list[i].Buffer > want.buffer+0.001) {
			t.Errorf("a buffer of %g keeps back %.3f, want %.3f", list[i].Policy.Share, list[i].Buffer, want.buffer)
		}
	}
	for i := 1; i < len(list); i++ {
		if list[i].Broken > list[i-1].Broken {
			t.Errorf("a larger buffer breaks more: %+v", list)
		}
	}
}

func TestFrontierKnowsNothingOfAShortPast(t *testing.T) {
	for _, trial := range tenNodes().Frontier("", fixed(150), past.Window{From: aDay, To: aDay + 5*anHour}) {
		if trial.Issued != 0 {
			t.Errorf("promises of a day are judged after five hours: %+v", trial)
		}
	}
}

// Of four failures by one cause one is back after an hour, one after two; one is
// still out after three, and one comes back after four.
func TestSurvival(t *testing.T) {
	at := 2 * aDay
	b := tenNodes(out("n1", at, at+anHour, "xid"), out("n2", at, at+2*anHour, "xid"), out("n4", at, at+4*anHour, "xid"),
		past.Episode{Node: "n5", Partition: "tiger/h200", Island: "i1", Cause: "plan", From: at, To: at + anHour, Planned: true})
	open := out("n3", at+anHour, 0, "xid")
	b.Nodes["n3"].Open, b.Nodes["n3"].StageSince = &open, at+anHour
	list := b.Survival("tiger", past.Window{From: aDay, To: at + 4*anHour}, at+4*anHour)
	if len(list) != 1 || list[0].Failures != 4 || list[0].Open != 1 {
		t.Fatalf("got %+v, want one curve of 4 failures, one of them open; maintenance is no failure", list)
	}
	want := []past.CurveStep{{After: anHour, Out: 0.75}, {After: 2 * anHour, Out: 0.5}, {After: 4 * anHour, Out: 0}}
	for i, s := range list[0].Steps {
		if i >= len(want) || s != want[i] {
			t.Fatalf("steps %+v, want %+v", list[0].Steps, want)
		}
	}
}
