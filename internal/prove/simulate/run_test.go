package simulate

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/fleetfile"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

const head = "job_id,submit_unix_s,team,gpus,duration_s\n"

func TestOneJobAfterTheOther(t *testing.T) {
	r := replay(t, Options{
		Fleet: fleetOf(t, 0, []int{2}, "oak 16"),
		Jobs:  []string{write(t, "jobs.csv", head+"a,100,oak,16,60\nb,110,oak,8,30\nc,110,oak,12,40\n")},
	})
	// b waits 50 s for a, and c, which does not fit beside b, 80 s.
	got := r.Teams["oak"]
	want := Figures{
		Jobs: 3, MeanWait: 130.0 / 3, P50Wait: 50, P99Wait: 80, MeanJCT: 260.0 / 3,
		GPUHours: GPUTime{seconds: 16*60 + 8*30 + 12*40},
	}
	if got.Target != "oak" || !alike(got.Figures, want) {
		t.Errorf("oak: %+v\nwant %+v", got, want)
	}
	if until := time.Unix(230, 0).UTC(); !r.Until.Equal(until) {
		t.Errorf("it ends at %v, want %v", r.Until, until)
	}
	if used := (16*60 + 8*30 + 12*40) / (16 * 130.0); !near(r.Utilisation, used) {
		t.Errorf("utilisation %v, want %v", r.Utilisation, used)
	}
}

func alike(a, b Figures) bool {
	times := near(a.MeanWait, b.MeanWait) && near(a.P50Wait, b.P50Wait) && near(a.P99Wait, b.P99Wait) && near(a.MeanJCT, b.MeanJCT)
	return times && near(a.GPUHours.Hours(), b.GPUHours.Hours()) && near(a.BrokenQuotaHours, b.BrokenQuotaHours) &&
		a.Jobs == b.Jobs && a.Evictions == b.Evictions && a.Mends == b.Mends && a.PromisesBroken == b.PromisesBroken
}

func near(a, b float64) bool { return a-b < 1e-6 && b-a < 1e-6 }

func TestATeamWithoutAQuotaRunsOnFlex(t *testing.T) {
	r := replay(t, Options{
		Fleet: fleetOf(t, 0, []int{2}, "research/oak 16"),
		Jobs:  []string{write(t, "jobs.csv", head+"x,0,elm,16,100\na,40,oak,16,60\n")},
	})
	if oak := r.Teams["oak"]; oak.Target != "research/oak" || oak.MeanWait != 0 {
		t.Errorf("oak: %+v, want no wait on research/oak", oak)
	}
	// elm is evicted after 40 s, waits for 60, and starts over, because nothing was saved.
	elm := r.Teams["elm"]
	if elm.Target != fleet.Flex || !near(elm.MeanWait, 60) || !near(elm.MeanJCT, 200) || elm.Evictions != 1 {
		t.Errorf("elm: %+v, want a wait of 60 s and an end after 200 s on flex, evicted once", elm)
	}
	if want := 16 * (40 + 100) / 3600.0; !near(elm.GPUHours.Hours(), want) {
		t.Errorf("elm held %v, want %v GPU-hours: lost work counts too", elm.GPUHours, want)
	}
}

func TestOnlyJobsInTimeAndOfTheTeamsAreSubmitted(t *testing.T) {
	o := Options{
		Fleet: fleetOf(t, 0, []int{2}, "oak 16"), Teams: []string{"oak"},
		Jobs: []string{write(t, "jobs.csv", head+"a,99,oak,8,1\nb,100,oak,8,1\nc,200,oak,8,1\nd,201,oak,8,1\ne,150,elm,8,1\n")},
		From: time.Unix(100, 0), To: time.Unix(200, 0),
	}
	if r := replay(t, o); r.Jobs != 2 || len(r.Teams) != 1 {
		t.Errorf("%d jobs of %d teams ran, want b and c of oak", r.Jobs, len(r.Teams))
	}
}

func TestAFaultBreaksAPromiseOnlyBeyondTheBuffer(t *testing.T) {
	faults := "node_id,start_day,end_day,class\n" + "a,1,1.5,GPU\na,1.25,2,Fan\nb,1,1,GPU\n"
	cases := []struct {
		buffer float64
		grant  string
		breaks int
		hours  float64
	}{
		// Backing falls with the first fault of a, which is down until its last one
		// ends, and rises a dwell (24 h) after that.
		{0, "oak 3200", 1, 24 + 24},
		{0.1, "oak 2880", 0, 0},
	}
	for _, c := range cases {
		r := replay(t, Options{
			Fleet: fleetOf(t, c.buffer, []int{400}, c.grant), Faults: write(t, "faults.csv", faults),
			Jobs: []string{write(t, "jobs.csv", head+"a,0,oak,8,864000\n")}, Seed: 1,
		})
		if oak := r.Teams["oak"]; oak.PromisesBroken != c.breaks || !near(oak.BrokenQuotaHours, c.hours) {
			t.Errorf("buffer %v: broken %d times for %v h, want %d times for %v h", c.buffer, oak.PromisesBroken, oak.BrokenQuotaHours, c.breaks, c.hours)
		}
	}
}

func TestBadInputIsNamedWithItsPlace(t *testing.T) {
	good := write(t, "good.csv", head+"a,100,oak,8,60\n")
	one := fleetOf(t, 0, []int{2}, "oak 16")
	cases := []struct {
		name string
		o    Options
		want string
	}{
		{"no jobs", Options{Fleet: one}, "at least one job trace"},
		{"no such file", Options{Fleet: one, Jobs: []string{"nowhere.csv"}}, "nowhere.csv"},
		{"a file twice", Options{Fleet: one, Jobs: []string{good, good}}, `good.csv:2: job_id "a" of team "oak" stands in`},
		{
			"unknown priority",
			Options{Fleet: one, Jobs: []string{write(t, "p.csv", "priority,"+head+"urgent,a,1,oak,8,60\n")}},
			`p.csv:2: priority "urgent" is not one of critical, high, mid, low (or empty)`,
		},
		{"time turned round", Options{Fleet: one, Jobs: []string{good}, From: time.Unix(9, 0), To: time.Unix(8, 0)}, "ends (1970-01-01T00:00:08Z) before it starts"},
		{"nobody", Options{Fleet: one, Jobs: []string{good}, Teams: []string{"elm"}}, "no job of the traces was submitted by the teams"},
		{
			"two quotas",
			Options{Fleet: fleetOf(t, 0, []int{2}, "x/oak 8", "y/oak 8"), Jobs: []string{good}},
			`good.csv:2: team "oak" could target any of the quotas x/oak, y/oak; one path only may end in its name`,
		},
		{"bad fleet", Options{Fleet: write(t, "f.yaml", "clusters: 7\n"), Jobs: []string{good}}, "f.yaml:1: "},
		{"bad faults", Options{Fleet: one, Jobs: []string{good}, Faults: write(t, "x.csv", "node_id\n")}, `x.csv:1: no column "start_day"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := Run(t.Context(), c.o, nil)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v\nwant one with %s", err, c.want)
			}
		})
	}
}

func TestJobsThatTheFleetRefusesAreCounted(t *testing.T) {
	text := head + "a b,1,oak,8,60\nc,2,oak,8,60\n"
	r := replay(t, Options{Fleet: fleetOf(t, 0, []int{2}, "oak 16"), Jobs: []string{write(t, "jobs.csv", text)}})
	if r.Refused != 1 || r.Jobs != 1 || !strings.Contains(r.Refusal, "jobs.csv:2: Invalid") {
		t.Errorf("%d refused (%s), %d ran; want one of each", r.Refused, r.Refusal, r.Jobs)
	}
}

func TestAJobThatNeverFitsIsReportedAsUnfinished(t *testing.T) {
	r := replay(t, Options{
		Fleet: fleetOf(t, 0, []int{2}, "oak 16"),
		Jobs:  []string{write(t, "jobs.csv", head+"big,1,oak,24,60\nsmall,2,oak,8,60\n")},
	})
	if r.Unfinished != 1 || r.Jobs != 1 || r.MeanWait != 0 {
		t.Errorf("%d unfinished, %d ran after %v s; what no backing can take holds nobody up", r.Unfinished, r.Jobs, r.MeanWait)
	}
}

func TestACancelledRunEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, storm(t, 1), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
}

func TestProgressIsTold(t *testing.T) {
	var last Progress
	if _, err := Run(t.Context(), storm(t, 1), func(p Progress) { last = p }); err != nil {
		t.Fatal(err)
	}
	if last.Ended != last.Jobs || last.Submitted != last.Jobs || last.Jobs != 300 {
		t.Errorf("the last progress is %+v, want all 300 jobs ended", last)
	}
}

func TestFleetFilesOfTheExamplesAreRight(t *testing.T) {
	for _, name := range []string{"philly-7f04ca", "philly-2869ce", "philly-six", "philly-siblings", "itp", "itp-siblings"} {
		f, err := fleetfile.Load("../../../examples/"+name+".yaml", fleetfile.Options{})
		if err != nil || len(f.Quotas) == 0 {
			t.Errorf("%s: %d quotas, error %v", name, len(f.Quotas), err)
		}
	}
}
