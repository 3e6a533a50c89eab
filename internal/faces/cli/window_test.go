package cli

import (
	"bytes"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// A row that begins late is named, and does not stand for the period of all.
func TestTheHeaderHasThePeriodOfAllRows(t *testing.T) {
	day := func(d int) *timestamppb.Timestamp {
		return timestamppb.New(time.Date(2026, 11, d, 15, 0, 0, 0, time.UTC))
	}
	var b bytes.Buffer
	now := clock{now: time.Date(2026, 11, 28, 16, 0, 0, 0, time.UTC), zone: time.UTC}
	(&page{Writer: &b, clock: now}).coveredBy([]covering{
		{"badger/h200", &musterv1.Window{From: day(20), To: day(28)}},
		{"tiger/h200", &musterv1.Window{From: day(1), To: day(28)}},
	}, &window{})
	want := now.moment(day(1).AsTime()) + " to " + now.moment(day(28).AsTime()) + " (within the last 30 days; --since 90d looks further back)\nbadger/h200 only since " + now.moment(day(20).AsTime()) + "\n"
	if b.String() != want {
		t.Errorf("it says %q and not %q", b.String(), want)
	}
}

// Every report goes back as far as the others where --since says nothing, from the end of its window on.
func TestAWindowGoesBackThirtyDays(t *testing.T) {
	end := time.Date(2026, 11, 28, 16, 0, 0, 0, time.UTC)
	w := &window{since: moment{env: &Env{Now: func() time.Time { return end }}}}
	if got := w.from().AsTime(); !got.Equal(end.AddDate(0, 0, -30)) {
		t.Errorf("it begins at %s", got)
	}
	w.asOf.at = end.AddDate(0, 0, -5)
	if got := w.from().AsTime(); !got.Equal(end.AddDate(0, 0, -35)) {
		t.Errorf("as of five days ago it begins at %s", got)
	}
	w.since.at = end.AddDate(0, 0, -90)
	if got := w.from().AsTime(); !got.Equal(w.since.at) || w.usual() != "" {
		t.Errorf("with --since it begins at %s%s", got, w.usual())
	}
}
