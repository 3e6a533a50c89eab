package api

import (
	"context"
	"fmt"
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/forecast"
	"github.com/muster-fleet/muster/internal/answer/whatif"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// longestSearch is how long a question may search where its caller asks for that. The turn that it
// has meanwhile is kept from others for no longer than they wait for one (see searchTime.over).
const longestSearch = 30 * time.Second

// firstSearch is what is proposed first where the usual time was too short.
const firstSearch = 10 * time.Second

// searchTime is how long a question may look for its answer. Past the usual time it looks on only while
// no other caller waits for a turn.
type searchTime struct {
	length, ordinary  time.Duration
	crowded           func() bool
	began, usual, end time.Time
	interrupted       bool        // it was over before its end
	arena             fleet.Arena // of all copies on which something is tried
}

// searchTime is the time that a question has: what its caller asks for, else as long as usual.
func (s *service) searchTime(asked *durationpb.Duration, usual time.Duration) (*searchTime, error) {
	d, err := wire.ReadDuration("search", asked)
	switch {
	case err != nil:
		return nil, err
	case d > longestSearch:
		return nil, wire.Wrong("search", "is %s; %s is the most", text.Duration(d), text.Duration(longestSearch))
	case d == 0:
		d = usual
	}
	x := &searchTime{length: d, ordinary: usual, crowded: s.turns.crowded}
	x.begin()
	return x, nil
}

// begin lets the time begin now, once the fleet that is searched was copied.
func (x *searchTime) begin() {
	x.began = time.Now()
	x.usual, x.end = x.began.Add(x.ordinary), x.began.Add(x.length)
}

// times is by what the bounds of the usual time are multiplied.
func (x *searchTime) times(bound int) int {
	return int(float64(bound) * max(1, float64(x.length)/float64(x.ordinary)))
}

// over says whether no more may be looked for by a moment.
func (x *searchTime) over(end time.Time) bool {
	now := time.Now()
	if now.Before(x.end) && now.After(x.usual) && x.crowded() {
		x.interrupted = true
	}
	return x.interrupted || now.After(end) || now.After(x.end)
}

// part is the end of a part of the whole time that begins now.
func (x *searchTime) part(share float64) time.Time {
	ends := time.Now().Add(time.Duration(share * float64(x.length)))
	return slices.MinFunc([]time.Time{x.end, ends}, time.Time.Compare)
}

// budget bounds a search for changes or places by time, and by as many tries as there is time for.
func (x *searchTime) budget(ctx context.Context, end time.Time) whatif.Budget {
	return whatif.Budget{
		Tries: x.times(whatif.DefaultTries),
		Stop:  func() bool { return ctx.Err() != nil || x.over(end) },
		Arena: &x.arena,
	}
}

// told is how far a search came that ran out of time; nil: it did not.
func (x *searchTime) told(a forecast.Answer) *musterv1.Search {
	if !tooFar(a) || a.Came.Of == 0 {
		return nil
	}
	return &musterv1.Search{
		Took: durationpb.New(time.Since(x.began)), Played: int32(a.Came.Played), Of: int32(a.Came.Of), Until: wire.Instant(a.Came.Until),
		Interrupted: x.interrupted,
	}
}

// longer is how long to search next where not all was looked at; nil: it was as long as may be.
func (x *searchTime) longer() *durationpb.Duration {
	switch {
	case x.interrupted:
		return durationpb.New(x.length) // the same again, when there is less to do
	case x.length < firstSearch:
		return durationpb.New(firstSearch)
	case x.length < longestSearch:
		return durationpb.New(longestSearch)
	}
	return nil
}

// searchText says how far a search came that ran out of time.
func searchText(o *musterv1.Search) string {
	if o == nil {
		return "the fleet is too large to play its future through"
	}
	after := "after " + text.Duration(o.GetTook().AsDuration().Round(100*time.Millisecond))
	if o.GetInterrupted() {
		after += ", because another caller waited for the server"
	}
	says := fmt.Sprintf("the search stopped %s; it had played %d of %d possible futures to their ends", after, o.GetPlayed(), o.GetOf())
	if at := o.GetUntil(); at != nil {
		says += ", and the next one up to " + text.Weekday(at.AsTime())
	}
	return says
}
