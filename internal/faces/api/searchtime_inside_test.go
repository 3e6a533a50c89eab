package api

import (
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
)

// Past its usual time a question gives way to others who wait, and proposes the same time again.
func TestALongSearchGivesWayToOthers(t *testing.T) {
	s := &service{turns: newTurns()}
	for _, c := range []struct {
		others   int32
		usual    time.Duration
		over     bool
		proposed time.Duration
	}{
		{others: 0, usual: 0, over: false, proposed: longestSearch},
		{others: 1, usual: 0, over: true, proposed: 20 * time.Second},
		{others: 1, usual: time.Hour, over: false, proposed: longestSearch},
	} {
		s.turns.waiting.Store(c.others)
		x, err := s.searchTime(durationpb.New(20*time.Second), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		x.usual = x.began.Add(c.usual - time.Nanosecond)
		if x.over(x.end) != c.over || x.longer().AsDuration() != c.proposed {
			t.Errorf("%d others wait, usual time %v: over is %v, next %v; want %v, %v", c.others, c.usual, x.interrupted, x.longer().AsDuration(), c.over, c.proposed)
		}
	}
}
