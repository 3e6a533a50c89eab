package simulate

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A gang on 398 of 400 nodes loses one after 24.5 hours, and runs 48.
func interrupted(t *testing.T) Options {
	t.Helper()
	return Options{
		Fleet:  fleetOf(t, 0, []int{400}, "oak 3184"),
		Jobs:   []string{write(t, "jobs.csv", head+"g,0,oak,3184,172800\n")},
		Faults: write(t, "faults.csv", "node_id,start_day,end_day\na,1.020833333333333333,9\n"),
		Seed:   1,
	}
}

const gangGPUs = 3184

func TestAMendedGangLosesWhatItHadNotSaved(t *testing.T) {
	for every, hours := range map[time.Duration]float64{0: 24.5, time.Hour: 0.5} {
		o := interrupted(t)
		o.CheckpointEvery = every
		r := replay(t, o)
		want := Losses{All: hoursOf(gangGPUs * hours), Failed: hoursOf(gangGPUs * hours), Interrupted: 1, Mended: 1}
		if got := r.Losses; !sameLosses(got, want) || r.Mends != 1 || r.MeanWait != 0 {
			t.Errorf("checkpoints every %s: %+v, %d nodes swapped, waited %v s; want %+v", every, got, r.Mends, r.MeanWait, want)
		}
	}
}

func TestWithoutMendingAGangGoesBackToItsQueue(t *testing.T) {
	o := interrupted(t)
	o.NoMend, o.Delays = true, true
	r := replay(t, o)
	l := r.Losses
	if l.Interrupted != 1 || l.Mended != 0 || l.Requeued != 1 || r.Mends != 0 || r.Evictions != 0 {
		t.Errorf("%+v, %d nodes swapped; want one gang back in its queue", l, r.Mends)
	}
	// It starts again when the last of its replicas has left, within the grace.
	if still := l.Still.Hours() / gangGPUs * 3600; still <= 0 || still > fleet.DefaultGrace.Seconds() || r.MeanWait != 0 {
		t.Errorf("it stood still for %.1f s and waited %.1f s; want its grace at most, and no wait after it", still, r.MeanWait)
	}
}

// A gang that fails twice goes back to its queue twice.
func TestWithoutMendingASecondFaultIsLikeTheFirst(t *testing.T) {
	o := interrupted(t)
	o.NoMend = true
	o.Faults = write(t, "faults.csv", "node_id,start_day,end_day\na,0.5,9\nb,1,9\n")
	if l := replay(t, o).Losses; l.Interrupted != 2 || l.Requeued != 2 {
		t.Errorf("%+v, want two interruptions, and two ways back to the queue", l)
	}
}

func TestWhatEvictionsUndoIsCounted(t *testing.T) {
	r := replay(t, Options{
		Fleet: fleetOf(t, 0, []int{2}, "oak 16"),
		Jobs:  []string{write(t, "jobs.csv", head+"x,0,elm,16,7200\na,3600,oak,16,60\n")},
	})
	if want := (Losses{All: hoursOf(16), Evicted: hoursOf(16)}); !sameLosses(r.Losses, want) {
		t.Errorf("%+v, want %+v: an hour of 16 GPUs was undone", r.Losses, want)
	}
	var b strings.Builder
	if err := r.Table(&b); err != nil || !strings.Contains(b.String(), "GPU-hours lost 16, of them undone by evictions 16, by faults 0\n") {
		t.Errorf("error %v; the table does not say so:\n%s", err, b.String())
	}
}

func sameLosses(a, b Losses) bool {
	counts := a.Interrupted == b.Interrupted && a.Mended == b.Mended && a.Requeued == b.Requeued
	return counts && near(a.All.Hours(), b.All.Hours()) && near(a.Evicted.Hours(), b.Evicted.Hours()) &&
		near(a.Failed.Hours(), b.Failed.Hours()) && near(a.Still.Hours(), b.Still.Hours())
}

// hoursOf is an amount of GPU-hours.
func hoursOf(h float64) GPUTime { return GPUTime{seconds: int64(h * 3600)} }

// TestGPUTimeComesOutEven adds thirds of seconds of many GPUs up and takes them
// away again: nothing is left, and nothing is written as a tiny fraction.
func TestGPUTimeComesOutEven(t *testing.T) {
	var sum GPUTime
	for n := range 1000 {
		sum = sum.plus(gpuTimeOf(n, time.Second/3))
	}
	for n := range 999 {
		sum = sum.minus(gpuTimeOf(n, time.Second/3))
	}
	if want := gpuTimeOf(999, time.Second/3); sum != want {
		t.Fatalf("%v is left, want %v", sum, want)
	}
	sum = sum.minus(gpuTimeOf(999, time.Second/3))
	text, err := json.Marshal([]GPUTime{sum, gpuTimeOf(8, 30*time.Minute), gpuTimeOf(3, time.Second), hoursOf(1).minus(hoursOf(2))})
	if want := "[0,4,0.001,-1]"; err != nil || string(text) != want {
		t.Fatalf("%s (%v), want %s", text, err, want)
	}
	if most := gpuTimeOf(1_000_000, 100*365*24*time.Hour); most.plus(most).Hours() != 2*1e6*100*365*24 {
		t.Fatalf("a century of a million GPUs, twice, is %v", most.plus(most))
	}
}

// Only gangs that stand on other nodes too are sent back: the rest has nothing
// that mending could keep.
func TestOnlyGangsAreRescheduled(t *testing.T) {
	o := Options{
		Fleet: fleetOf(t, 0, []int{3}, "oak 24"),
		Jobs:  []string{write(t, "jobs.csv", head+"one,0,oak,4,60\ngang,0,oak,12,60\n")},
	}
	in, err := Read(o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := newRun(t.Context(), o, in)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := r.step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	r.engine.Read(func(s *fleet.State) {
		var sent []string
		for _, n := range s.Partitions[0].Nodes {
			for _, c := range reschedule(s, n.Name) {
				sent = append(sent, c.(core.Retarget).Name)
			}
		}
		if len(sent) != 2 || sent[0] != "gang" || sent[1] != "gang" {
			t.Errorf("the nodes' faults send back %q, want the gang from each of its two nodes", sent)
		}
	})
}
