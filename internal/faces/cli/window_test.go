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
	})
	want := now.moment(day(1).AsTime()) + " to " + now.moment(day(28).AsTime()) + "\nbadger/h200 only since " + now.moment(day(20).AsTime()) + "\n"
	if b.String() != want {
		t.Errorf("it says %q and not %q", b.String(), want)
	}
}
