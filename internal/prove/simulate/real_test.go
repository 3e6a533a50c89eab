package simulate

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/prove/trace"
)

// tenant is a team with its grant, and where its jobs are.
type tenant struct {
	team  string
	nodes int
}

var (
	phillyTenants = []tenant{{"7f04ca", 32}, {"6c71a0", 32}, {"2869ce", 16}, {"e13805", 16}, {"ed69ec", 8}, {"103959", 8}}
	itpTenants    = []tenant{{"cluster02", 20}, {"cluster03", 24}, {"cluster05", 8}, {"cluster08", 12}, {"cluster09", 6}, {"cluster10", 4}}
)

const (
	full    = philly + "philly_full_vcs.csv"
	partial = philly + "philly_partial_vcs.csv"
	itp     = "../../../../shared/data/itp2021/jobs.csv.gz"
)

// need skips a test where the real traces are not beside the project.
func need(t testing.TB, files ...string) {
	t.Helper()
	for _, f := range files {
		if _, err := os.Stat(f); errors.Is(err, os.ErrNotExist) {
			t.Skipf("%s is not there: this test needs the real data beside the project", f)
		}
	}
}

func TestTheEngineGivesThePublishedWaits(t *testing.T) {
	need(t, full)
	for team, want := range map[string]float64{"7f04ca": 1412, "2869ce": 21171} {
		t.Run(team, func(t *testing.T) {
			r := replay(t, Options{
				Fleet: "../../../examples/philly-" + team + ".yaml", Jobs: []string{full}, Teams: []string{team},
				From: publishedFrom, To: publishedTo,
			})
			got := r.Teams[team].MeanWait
			t.Logf("%d jobs wait %.1f s, published %.0f s; %.0f decisions/s", r.Jobs, got, want, r.PerSecond)
			if math.Abs(got-want) > want/100 {
				t.Errorf("mean wait %.1f s, published %.0f s", got, want)
			}
			if r.Unfinished+r.Refused > 0 {
				t.Errorf("%d unfinished, %d refused (%s)", r.Unfinished, r.Refused, r.Refusal)
			}
		})
	}
}

// TestFlexTenantsDoNotHoldUpAQuota lets the other team of the file run on flex in
// whatever the quota leaves free: the quota's team must not notice.
func TestFlexTenantsDoNotHoldUpAQuota(t *testing.T) {
	need(t, full)
	r := replay(t, Options{Fleet: "../../../examples/philly-7f04ca.yaml", Jobs: []string{full}, From: publishedFrom, To: publishedTo})
	got, flex := r.Teams["7f04ca"].MeanWait, r.Teams["2869ce"]
	t.Logf("7f04ca waits %.1f s; 2869ce on flex: %d jobs, %d evictions", got, flex.Jobs, flex.Evictions)
	if math.Abs(got-1412) > 14 {
		t.Errorf("mean wait %.1f s beside flex work, alone 1412 s", got)
	}
	if flex.Evictions == 0 {
		t.Error("nobody was evicted from flex: this proves little")
	}
}

func TestSixOfPhillyInOneFleet(t *testing.T) {
	need(t, full, partial)
	o := Options{Fleet: "../../../examples/philly-six.yaml", Jobs: []string{full, partial}, From: publishedFrom, To: publishedTo}
	compareWithAlone(t, o, phillyTenants)
}

func TestSixOfITPInOneFleet(t *testing.T) {
	need(t, itp)
	compareWithAlone(t, Options{Fleet: "../../../examples/itp.yaml", Jobs: []string{itp}, CheckEvery: 10}, itpTenants)
}

// compareWithAlone runs teams in one fleet and holds each one's waits against
// those that the reference gives it on a private cluster of its quota: a quota
// is as good as a cluster. Which of several equally full nodes a job gets is
// open, and a mean wait depends on it; so the bounds are those of 20 ways to
// choose, and 1 %.
func compareWithAlone(t *testing.T, o Options, tenants []tenant) {
	in, err := Read(o)
	if err != nil {
		t.Fatal(err)
	}
	r := replay(t, o)
	if r.Unfinished+r.Refused > 0 || r.BrokenQuotaHours > 0 {
		t.Errorf("%d unfinished, %d refused (%s), promises broken for %.1f h", r.Unfinished, r.Refused, r.Refusal, r.BrokenQuotaHours)
	}
	t.Logf("%d decisions in %.1f s, %.1f s of them checks: %.0f/s, peak memory %d MB", r.Decisions, r.WallSeconds, r.Checks, r.PerSecond, r.PeakMemory>>20)
	t.Logf("%-10s %6s %12s %22s %12s", "team", "jobs", "mean shared", "mean alone", "p99 shared")
	for _, q := range tenants {
		shared := r.Teams[q.team]
		least, most := alone(teamOf(in.Jobs, q.team), q.nodes)
		t.Logf("%-10s %6d %12.0f %10.0f..%-10.0f %12.0f", q.team, shared.Jobs, shared.MeanWait, least, most, shared.P99Wait)
		if shared.MeanWait < least*0.99-1 || shared.MeanWait > most*1.01+1 {
			t.Errorf("%s waits %.0f s, on its own cluster %.0f to %.0f s", q.team, shared.MeanWait, least, most)
		}
	}
}

func TestSiblingsOfPhillyWaitNoLongerThanAlone(t *testing.T) {
	need(t, full, partial)
	o := Options{Fleet: "../../../examples/philly-siblings.yaml", Jobs: []string{full, partial}, From: publishedFrom, To: publishedTo}
	compareSiblings(t, o, phillyTenants)
}

func TestSiblingsOfITPWaitNoLongerThanAlone(t *testing.T) {
	need(t, itp)
	compareSiblings(t, Options{Fleet: "../../../examples/itp-siblings.yaml", Jobs: []string{itp}, CheckEvery: 100}, itpTenants)
}

// compareSiblings runs teams as siblings of one tree: with lending none waits or
// ends later, on the mean, than on the luckiest private cluster of its quota plus
// 1 %, and all together wait less. Beside it stands what one team that had all the
// nodes would wait, first come first served.
func compareSiblings(t *testing.T, o Options, tenants []tenant) {
	in, err := Read(o)
	if err != nil {
		t.Fatal(err)
	}
	r := replay(t, o)
	if r.Unfinished+r.Refused > 0 || r.BrokenQuotaHours > 0 {
		t.Errorf("%d unfinished, %d refused (%s), promises broken for %.1f h", r.Unfinished, r.Refused, r.Refusal, r.BrokenQuotaHours)
	}
	nodes, total := 0, 0.0
	for _, q := range tenants {
		shared, jobs := r.Teams[q.team], teamOf(in.Jobs, q.team)
		least, most := alone(jobs, q.nodes)
		runs := meanOf(durations(jobs))
		t.Logf("%-10s %6d jobs wait %8.1f s, alone %8.0f to %-8.0f; end after %8.0f s, alone %8.0f; %d evictions",
			q.team, shared.Jobs, shared.MeanWait, least, most, shared.MeanJCT, least+runs, shared.Evictions)
		if shared.MeanWait > least*1.01+1 || shared.MeanJCT > (least+runs)*1.01 {
			t.Errorf("%s waits %.0f s and ends after %.0f s, alone %.0f and %.0f s", q.team, shared.MeanWait, shared.MeanJCT, least, least+runs)
		}
		nodes, total = nodes+q.nodes, total+least*float64(shared.Jobs)
	}
	t.Logf("all wait %.1f s, alone %.1f s, as one team on %d nodes %.1f s; %d evictions; state %s",
		r.MeanWait, total/float64(r.Jobs), nodes, meanOf(reference(in.Jobs, nodes, byIndex)), r.Evictions, r.StateHash)
	if r.MeanWait*float64(r.Jobs) >= total {
		t.Errorf("all together wait %.0f s, alone %.0f s: lending helps nobody", r.MeanWait*float64(r.Jobs), total)
	}
}

func durations(jobs []trace.Job) []time.Duration {
	list := make([]time.Duration, len(jobs))
	for i, j := range jobs {
		list[i] = j.Duration
	}
	return list
}

// alone is the least and the most mean wait on a private cluster.
func alone(jobs []trace.Job, nodes int) (least, most float64) {
	least = meanOf(reference(jobs, nodes, byIndex))
	most = least
	for seed := range uint64(20) {
		m := meanOf(reference(jobs, nodes, rand.New(rand.NewPCG(seed, 1)).Perm))
		least, most = min(least, m), max(most, m)
	}
	return least, most
}

func teamOf(jobs []trace.Job, team string) []trace.Job {
	return slices.DeleteFunc(slices.Clone(jobs), func(j trace.Job) bool { return j.Team != team })
}

func meanOf(waits []time.Duration) float64 {
	sum := 0.0
	for _, w := range waits {
		sum += w.Seconds()
	}
	return mean(sum, len(waits))
}

// TestFaultsOfRealServersBreakNoPromise lays the faults of 400 servers over six
// of Philly's teams (a mix of ours): the buffer carries them.
func TestFaultsOfRealServersBreakNoPromise(t *testing.T) {
	need(t, full, partial, infiniteHBD)
	for seed := range uint64(2) {
		r := replay(t, Options{
			Fleet: "../../../examples/philly-six.yaml", Jobs: []string{full, partial}, Faults: infiniteHBD,
			From: publishedFrom, To: publishedTo, Seed: seed,
		})
		t.Logf("seed %d: mean wait %.0f s, mean completion %.0f s, %d mends, broken for %.1f quota-hours", seed, r.MeanWait, r.MeanJCT, r.Mends, r.BrokenQuotaHours)
		if r.BrokenQuotaHours > 0 || r.Unfinished > 0 {
			t.Errorf("seed %d: promises broken for %.1f quota-hours, %d jobs unfinished", seed, r.BrokenQuotaHours, r.Unfinished)
		}
	}
}

// TestMendingBeatsReschedulingUnderRealFaults lays the same faults over siblings
// (a mix of ours) with mending and without: mended gangs stand still for less.
func TestMendingBeatsReschedulingUnderRealFaults(t *testing.T) {
	need(t, full, partial, infiniteHBD)
	var with, without Losses
	for seed := range uint64(3) {
		o := Options{
			Fleet: "../../../examples/philly-siblings.yaml", Jobs: []string{full, partial}, Faults: infiniteHBD,
			From: publishedFrom, To: publishedTo, Seed: seed, Delays: true, CheckEvery: 10,
		}
		with.add(replay(t, o).Losses)
		o.NoMend = true
		without.add(replay(t, o).Losses)
	}
	t.Logf("with mending %+v", with)
	t.Logf("without      %+v", without)
	if with.Mended == 0 || with.Mended+with.Requeued != with.Interrupted {
		t.Errorf("of %d gangs interrupted %d were mended and %d went back to their queue", with.Interrupted, with.Mended, with.Requeued)
	}
	if without.Mended > 0 || with.Still.Hours() >= without.Still.Hours() {
		t.Errorf("without mending %d were mended; gangs stood still for %.2f GPU-hours, with it %.2f", without.Mended, without.Still.Hours(), with.Still.Hours())
	}
}

func (l *Losses) add(m Losses) {
	l.All, l.Evicted, l.Failed, l.Still = l.All.plus(m.All), l.Evicted.plus(m.Evicted), l.Failed.plus(m.Failed), l.Still.plus(m.Still)
	l.Interrupted, l.Mended, l.Requeued = l.Interrupted+m.Interrupted, l.Mended+m.Mended, l.Requeued+m.Requeued
}
