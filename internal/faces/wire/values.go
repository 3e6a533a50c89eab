package wire

import (
	"fmt"
	"math"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/past"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Mistake is input that is wrong at a place. It is a refusal with code Invalid.
type Mistake struct{ Field, Message string }

// Error is the mistake as one line.
func (m *Mistake) Error() string { return m.Field + ": " + m.Message }

// Wrong says what is wrong at a place of the input, and what would be right.
func Wrong(field, format string, args ...any) error {
	return &Mistake{field, fmt.Sprintf(format, args...)}
}

// inside says that a mistake stands inside a larger place.
func inside(place string, err error) error {
	if m, ok := err.(*Mistake); ok { //nolint:errorlint // it is made in this room and wrapped by nobody
		return &Mistake{place + "." + m.Field, m.Message}
	}
	return err
}

// The last second that an Instant can tell.
const lastSecond = math.MaxInt64/int64(time.Second) - 1

// ReadInstant reads a moment.
func ReadInstant(field string, t *timestamppb.Timestamp) (fleet.Instant, error) {
	if t == nil {
		return 0, Wrong(field, "is missing; write a moment, as in 2026-11-21T12:00:00Z")
	}
	if t.CheckValid() != nil || t.GetSeconds() < 0 || t.GetSeconds() > lastSecond {
		return 0, Wrong(field, "is not between 1970 and 2262; write it as in 2026-11-21T12:00:00Z")
	}
	return fleet.Instant(t.GetSeconds()*int64(time.Second) + int64(t.GetNanos())), nil
}

// The longest time that a message may name.
const longest = 100 * 365 * 24 * time.Hour

// ReadDuration reads a length of time, zero or more.
func ReadDuration(field string, d *durationpb.Duration) (time.Duration, error) {
	v := d.AsDuration()
	switch {
	case d.CheckValid() != nil && d != nil:
		return 0, Wrong(field, "is not a duration; write seconds, as in 3600s")
	case v < 0:
		return 0, Wrong(field, "is %v; durations are zero or more", v)
	case v > longest:
		return 0, Wrong(field, "is longer than a hundred years")
	}
	return v, nil
}

// readPermille reads a share between 0 and 1, in whole thousandths.
func readPermille(field string, share float64) (fleet.Permille, error) {
	p := fleet.PermilleOf(share)
	if math.Abs(share*1000-float64(p)) > 1e-6 {
		return 0, Wrong(field, "is %v; shares are in whole thousandths, as in %v", share, float64(p)/1000)
	}
	return p, nil
}

// Share is a share between 0 and 1.
func Share(p fleet.Permille) float64 { return float64(p) / 1000 }

// length is a duration as a message; none for 0.
func length(d time.Duration) *durationpb.Duration {
	if d == 0 {
		return nil
	}
	return durationpb.New(d)
}

// Instant is a moment as a message; none for 0 and for Never.
func Instant(at fleet.Instant) *timestamppb.Timestamp {
	if at == 0 || at == fleet.Never {
		return nil
	}
	return &timestamppb.Timestamp{Seconds: floorDiv(int64(at), 1e9), Nanos: int32(int64(at) - floorDiv(int64(at), 1e9)*1e9)}
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// Moment is a moment of the book; none for 0.
func Moment(ms int64) *timestamppb.Timestamp {
	if ms == 0 {
		return nil
	}
	return timestamppb.New(time.UnixMilli(ms))
}

// Span is a length of time in milliseconds as a message.
func Span(ms int64) *durationpb.Duration {
	return durationpb.New(time.Duration(ms) * time.Millisecond)
}

// Window is the window that an answer about the past covers.
func Window(w past.Window) *musterv1.Window {
	return &musterv1.Window{From: Moment(w.From), To: Moment(w.To)}
}

// WindowLived is a stretch of time with the gaps in it in which no server ran.
func WindowLived(b *past.Book, w past.Window) *musterv1.Window {
	m := Window(w)
	for _, g := range b.GapsIn(w) {
		m.Gaps = append(m.Gaps, Window(g))
	}
	return m
}

func int32s(list []int) []int32 {
	out := make([]int32, len(list))
	for i, n := range list {
		out[i] = int32(n)
	}
	return out
}

// Unchanged is the note of a change that changed nothing, because it was so already.
const Unchanged = "Nothing changed: it was so already."
