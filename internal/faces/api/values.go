package api

import (
	"math"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file reads small values of messages that the rules of the .proto files do not judge.

// The last second that an Instant can tell.
const lastSecond = math.MaxInt64/int64(time.Second) - 1

// instant reads a moment.
func instant(field string, t *timestamppb.Timestamp) (fleet.Instant, error) {
	if t.CheckValid() != nil || t.GetSeconds() < 0 || t.GetSeconds() > lastSecond {
		return 0, wrong(field, "is not between 1970 and 2262; write it as in 2026-11-21T12:00:00Z")
	}
	return fleet.Instant(t.GetSeconds()*int64(time.Second) + int64(t.GetNanos())), nil
}

// The longest time that a message may name.
const longest = 100 * 365 * 24 * time.Hour

// duration reads a length of time, zero or more.
func duration(field string, d *durationpb.Duration) (time.Duration, error) {
	v := d.AsDuration()
	switch {
	case d.CheckValid() != nil && d != nil:
		return 0, wrong(field, "is not a duration; write seconds, as in 3600s")
	case v < 0:
		return 0, wrong(field, "is %v; durations are zero or more", v)
	case v > longest:
		return 0, wrong(field, "is longer than a hundred years")
	}
	return v, nil
}

// permille reads a share between 0 and 1, in whole thousandths.
func permille(field string, share float64) (fleet.Permille, error) {
	p := fleet.PermilleOf(share)
	if math.Abs(share*1000-float64(p)) > 1e-6 {
		return 0, wrong(field, "is %v; shares are in whole thousandths, as in %v", share, float64(p)/1000)
	}
	return p, nil
}
