package frame

import (
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
)

func TestSliderStandsNearestToItsMoment(t *testing.T) {
	begin := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		long, at time.Duration
		want     string
	}{
		{1000 * time.Second, 0, "0"},
		{1000 * time.Second, 1990 * time.Millisecond, "2"},
		{1000 * time.Second, 2010 * time.Millisecond, "2"},
		{1000 * time.Second, 1000 * time.Second, "999"},         // the right end is live
		{2 * 365 * 24 * time.Hour, 365 * 24 * time.Hour, "500"}, // years of log
	} {
		f := frame{v: &Visit{AsOf: timestamppb.New(begin.Add(c.at))}, from: begin, to: begin.Add(c.long), at: begin.Add(c.at)}
		if got := f.slider(); got != c.want {
			t.Errorf("%v of %v: %s, want %s", c.at, c.long, got, c.want)
		}
	}
}
