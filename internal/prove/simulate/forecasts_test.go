package simulate

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/prove/trace"
)

// a runs 100 s and declares 200; b waits from 5 s on and is asked about every
// 10 s. That it starts at 200 s is said nine times, and holds.
func TestForecastsAreCountedAndHeldAgainstWhatCame(t *testing.T) {
	o := Options{
		Fleet: fleetOf(t, 0, []int{2}, "oak 16"), ForecastEvery: 10 * time.Second, Declare: Declare{2, 2},
		Jobs: []string{write(t, "jobs.csv", head+"a,0,oak,16,100\nb,5,oak,16,30\n")},
	}
	got := *replay(t, o).Forecasts
	got.Seconds = 0
	if want := (Forecasts{Every: 10 * time.Second, Made: 9, Known: 1, Settled: 9, P50: 1, P90: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestWhereNothingIsDeclaredNothingIsForecast(t *testing.T) {
	o := Options{
		Fleet: fleetOf(t, 0, []int{2}, "oak 16"), ForecastEvery: 10 * time.Second,
		Jobs: []string{write(t, "jobs.csv", head+"a,0,oak,16,100\nb,5,oak,16,30\n")},
	}
	if got := *replay(t, o).Forecasts; got.Made != 9 || got.Known != 0 || got.Settled != 0 {
		t.Errorf("got %+v, want 9 made and none known", got)
	}
}

func TestForecastsChangeNothing(t *testing.T) {
	o := Options{
		Fleet: fleetOf(t, 0, []int{2}, "oak 16"), Declare: Declare{1, 3},
		Jobs: []string{write(t, "jobs.csv", head+"a,0,oak,16,100\nb,5,oak,8,30\nx,7,elm,8,50\nc,9,oak,16,10\n")},
	}
	without := replay(t, o)
	o.ForecastEvery = 3 * time.Second
	if with := replay(t, o); with.StateHash != without.StateHash || with.Forecasts.Made == 0 {
		t.Errorf("state %s with %d forecasts, %s without", with.StateHash, with.Forecasts.Made, without.StateHash)
	}
}

func TestWhatAJobDeclaresIsDrawnForItAlone(t *testing.T) {
	d, seen := Declare{1, 3}, map[time.Duration]bool{}
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		j := trace.Job{ID: id, Team: "oak", Duration: time.Hour}
		got := d.maxRuntime(j, 7)
		if got < time.Hour || got > 3*time.Hour || got != d.maxRuntime(j, 7) {
			t.Errorf("%s declares %s", id, got)
		}
		seen[got] = true
	}
	if len(seen) != 5 {
		t.Errorf("five jobs draw %d factors", len(seen))
	}
	if got := (Declare{}).maxRuntime(trace.Job{Duration: time.Hour}, 7); got != 0 {
		t.Errorf("nothing is declared, and yet %s", got)
	}
}

func TestReadingARangeOfFactors(t *testing.T) {
	for text, want := range map[string]Declare{"": {}, "1..3": {1, 3}, "1.5..1.5": {1.5, 1.5}} {
		if got, err := ParseDeclare(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"3", "3..1", "0.5..2", "a..b", "1..3..4", "NaN..NaN", "1..1e9", "1.."} {
		if got, err := ParseDeclare(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}
