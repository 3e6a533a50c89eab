package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// withinWidth is a table as people see it on a terminal, or as a program reads it.
func withinWidth(t *testing.T, table *table, piped bool) string {
	t.Helper()
	var b bytes.Buffer
	table.whole = piped
	table.show(&b, false, noon, false)
	for _, line := range strings.Split(b.String(), "\n") {
		if columns(line) > widest {
			t.Errorf("a line has %d columns (piped: %v):\n%s", columns(line), piped, b.String())
			break
		}
	}
	return b.String()
}

// Reasons of places, and who must leave, are whole within the width of a table.
func TestFitShowsItsReasonsWhole(t *testing.T) {
	at := func(h int) *timestamppb.Timestamp { return timestamppb.New(noon.now.Add(time.Duration(h) * time.Hour)) }
	place := func(target string, codes ...string) *musterv1.Place {
		p := &musterv1.Place{Target: target, Partition: "tiger/h200", Outcome: "waits", Forecast: &musterv1.Forecast{Known: true, P50: at(200), P90: at(300)}}
		for _, c := range codes {
			p.Blockers = append(p.Blockers, &musterv1.Blocker{Code: c})
		}
		return p
	}
	starts := &musterv1.Place{Target: "research/posttraining", Partition: "tiger/h200", Outcome: "starts", Start: &musterv1.Start{
		At: at(1), Holds: "guaranteed", Islands: []string{"i2", "i3"}, Evicts: []string{"post/eval-130", "cedar/sweep-93", "fir/notebook-107"},
	}}
	o := &fitOptions{submitOptions: submitOptions{app: &app{Env: &Env{Now: noonNow, Zone: time.UTC, Getenv: func(string) string { return "" }}}}}
	res := &musterv1.FitResponse{Seen: &musterv1.Seen{At: at(0)}, Places: []*musterv1.Place{place("research/pretraining/oak", "ClusterNotReady", "NoIsland"), starts}}
	for _, piped := range []bool{false, true} {
		got := withinWidth(t, o.table(res), piped)
		for _, want := range []string{"ClusterNotReady", "NoIsland", "post/eval-130", "cedar/sweep-93", "fir/notebook-107"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s is not whole (piped: %v):\n%s", want, piped, got)
			}
		}
	}
}

// What help says of flags goes on in the next line where it is wider than a table.
func TestHelpOfFlagsFits(t *testing.T) {
	for _, line := range []string{"job list --help", "rollout start --help", "promise broken --help"} {
		var out bytes.Buffer
		env := &Env{Out: &out, Err: &out, Getenv: func(string) string { return "" }, Now: noonNow, Zone: time.UTC}
		New(env).Run(t.Context(), strings.Fields(line))
		_, flags, _ := strings.Cut(out.String(), "Flags:")
		for _, says := range strings.Split(flags, "\n") {
			if columns(says) > widest {
				t.Errorf("muster %s: a line has %d columns: %s", line, columns(says), says)
			}
		}
	}
}

// On a terminal lists fit, with names in several lines where need be. Where a program may read them names stay whole.
func TestListsFitIntoTheirWidth(t *testing.T) {
	at := timestamppb.New(noon.now.Add(-41 * 24 * time.Hour))
	job := func(name, state, reason, holds string) *musterv1.Workload {
		return &musterv1.Workload{
			Id: 1, Spec: &musterv1.WorkloadSpec{Namespace: "hazel", Name: name, Target: "research/pretraining/oak", Priority: "critical", Pools: []*musterv1.Pool{{Replicas: 16, Gpus: 8}}},
			State: state, Reason: reason, Holds: holds, Gpus: 128, User: "malika", Position: 12, Submitted: at,
		}
	}
	o := &jobListOptions{app: &app{Env: &Env{Now: noonNow, Zone: time.UTC}}}
	jobs := o.table([]*musterv1.Workload{job("notebook-1290", "running", "", "guaranteed"), job("pretrain-77", "pending", "ClusterNotReady", "")}, nil)
	free := usableTable(&musterv1.UsableResponse{Quotas: []*musterv1.UsableQuota{{
		Quota: "research/pretraining/oak", Partition: "tiger/h200", Free: 8, Reserved: 32, LargestGang: 8, Borrow: 10, Backed: 64, Usage: 72, Waiting: 1, Next: at,
	}}})
	withinWidth(t, jobs, false)
	withinWidth(t, free, false)
}
