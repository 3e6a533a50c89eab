package api

import (
	"context"
	"fmt"
	"testing"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// slowLog is an engine whose log takes as long as a test likes for one thing.
type slowLog struct {
	Engine
	slow      string
	began, on chan struct{}
}

func (e *slowLog) Look(fn func(*fleet.State)) { fn(fleet.NewState()) }

func (e *slowLog) RecordsWith(_ context.Context, _ uint64, wanted func([]byte) bool, _ func(event.Record) error) error {
	if wanted([]byte(`{"node":"` + e.slow + `"}`)) {
		close(e.began)
		<-e.on
	}
	return nil
}

// Who asks about a thing for which the whole log is read keeps no other from what is asked about another.
func TestOneThingThatIsReadForLongHoldsUpNoOther(t *testing.T) {
	var l recentEvents
	e := &slowLog{slow: "zz1", began: make(chan struct{}), on: make(chan struct{})}
	over := make(chan error)
	about := func(what string) error {
		return l.lastPage(t.Context(), e, &page{limit: 3, last: true, until: fleet.Never, choice: choice{about: what}})
	}
	go func() { over <- about("zz1") }()
	<-e.began
	if err := about("node7"); err != nil {
		t.Error(err)
	}
	close(e.on)
	if err := <-over; err != nil {
		t.Error(err)
	}
}

// Who asks about ever more things has one at a time forgotten, not what all others ask about.
func TestAFloodOfNamesForgetsNotAll(t *testing.T) {
	var l recentEvents
	for n := range 2 * mostRecent {
		l.of(recentKey{about: fmt.Sprint("zz", n)})
	}
	if len(l.pages) != mostRecent {
		t.Errorf("%d things are remembered, want %d", len(l.pages), mostRecent)
	}
}
