package api

import (
	"context"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/past"
	"github.com/muster-fleet/muster/internal/faces/wire"
)

// usualLengths are those that odds are stated for where the request names none.
var usualLengths = []time.Duration{time.Hour, 6 * time.Hour, 24 * time.Hour}

// FlexOutlook says how likely work on flex runs undisturbed for how long.
func (s pastService) FlexOutlook(ctx context.Context, m *musterv1.FlexOutlookRequest) (*musterv1.FlexOutlookResponse, error) {
	out := &musterv1.FlexOutlookResponse{}
	lengths, err := lengthsOf(m.GetLengths())
	if err != nil {
		return nil, err
	}
	for _, a := range m.GetAsks() {
		if err := s.knownNow(named(knownPartition, a.GetPartition())); err != nil {
			return nil, err
		}
	}
	seen, err := s.ask(ctx, &musterv1.StandingRequest{AsOf: m.GetAsOf()}, month, func(b *past.Book, w past.Window, _ int64) {
		for _, a := range m.GetAsks() {
			out.Outlooks = append(out.Outlooks, wire.FlexOutlook(b.Outlook(a.GetPartition(), int(a.GetGpus()), lengths, w.To)))
		}
	})
	out.Seen = seen
	return out, err
}

// lengthsOf reads lengths of time as the book counts them.
func lengthsOf(list []*durationpb.Duration) (ms []int64, err error) {
	for _, one := range list {
		d, err := wire.ReadDuration("lengths", one)
		if err != nil {
			return nil, err
		}
		ms = append(ms, d.Milliseconds())
	}
	if len(ms) == 0 {
		for _, d := range usualLengths {
			ms = append(ms, d.Milliseconds())
		}
	}
	return ms, nil
}
