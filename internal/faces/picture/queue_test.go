package picture

import (
	"testing"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/draw"
)

// A workload whose start is not known says why it waits, where a reason is known.
func TestAStartThatIsNotKnownSaysWhy(t *testing.T) {
	for reason, want := range map[string]string{"FlexFull": "FlexFull: start not known", "": "start not known"} {
		r := draw.Rung{Why: reason}
		(&Queue{}).starts(&musterv1.WhenResponse{}, &r)
		if r.Why != want {
			t.Errorf("%q says %q, want %q", reason, r.Why, want)
		}
	}
}

// A few bars that are very much longer than the others do not squeeze them: the axis ends where most do.
func TestTheAxisEndsWhereMostBarsDo(t *testing.T) {
	now := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	until := func(hours ...float64) time.Duration {
		q := Queue{now: now}
		for _, h := range hours {
			q.ends = append(q.ends, now.Add(time.Duration(h*float64(time.Hour))))
		}
		return q.until().Sub(now)
	}
	for _, c := range []struct {
		ends []float64
		want time.Duration
	}{
		{nil, 10 * time.Minute},
		{[]float64{0.01}, 10 * time.Minute},
		{[]float64{1, 2, 3}, 3 * time.Hour},
		{[]float64{1, 2, 3, 5}, 5 * time.Hour},                 // a little longer is no trouble
		{[]float64{1, 1, 2, 2, 3, 4, 100, 120}, 5 * time.Hour}, // two of eight run off
		{[]float64{1, 100, 110, 120}, 120 * time.Hour},         // most are long
		{[]float64{1000}, 7 * 24 * time.Hour},                  // a week at most
		{[]float64{100, 120, 1, 1, 2, 4, 3, 2}, 5 * time.Hour}, // in whatever order
	} {
		if got := until(c.ends...); got != c.want {
			t.Errorf("%v: the axis is %v long, want %v", c.ends, got, c.want)
		}
	}
}
