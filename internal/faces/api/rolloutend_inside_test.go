package api

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/proto"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// plays counts how often an end is played, each time on the version of the state there is now.
type plays struct {
	rolloutEnds
	sync.WaitGroup
	version, played uint64
	hold            chan struct{} // each play waits for it
}

func (p *plays) play(k *playedEnd) error {
	at := p.version
	p.played++
	<-p.hold
	k.end, k.seq = &musterv1.RolloutEnd{Unknown: fmt.Sprint(at)}, at
	return nil
}

// ask asks for the end as of the version there is now, as a caller of its own.
func (p *plays) ask(t *testing.T, callers int) {
	at := p.version
	for range callers {
		p.Go(func() {
			end, err := p.of(t.Context(), rolloutAsked{rollout: "driver"}, at, time.Now(), p.play)
			if got := end.GetUnknown(); err != nil || got < fmt.Sprint(at) {
				t.Errorf("who asked as of %d has an end of %s: %v", at, got, err)
			}
		})
	}
	synctest.Wait()
}

// Many who ask for the same end at once share one search. Those who ask after a change wait for
// it, and share the next: none is given an end of before the change.
func TestCallersShareTheEndOfARollout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &plays{version: 1, hold: make(chan struct{})}
		p.ask(t, 10)
		for p.version = 2; p.version < 6; p.version++ {
			p.ask(t, 5)
		}
		p.version = 5
		close(p.hold)
		p.Wait()
		if p.played != 2 {
			t.Errorf("30 callers over five versions had it played %d times, want 2", p.played)
		}
		p.ask(t, 1)
		p.Wait()
		if p.played != 2 {
			t.Error("an end of the same version is played anew")
		}
		time.Sleep(freshEnd)
		p.ask(t, 1)
		if p.Wait(); p.played != 3 {
			t.Error("an end is kept while time passes")
		}
	})
}

// A caller that leaves ends the search only where no other waits for it; what was cut short is given to none.
func TestAnEndThatWasCutIsGivenToNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e rolloutEnds
		cut := func(*playedEnd) error { return context.Canceled }
		if _, err := e.of(t.Context(), rolloutAsked{}, 1, time.Now(), cut); err == nil || len(e.kept) != 0 {
			t.Errorf("it is kept: %v, %d", err, len(e.kept))
		}
		asked, end := context.WithCancel(t.Context())
		p := &plays{version: 1, hold: make(chan struct{})}
		p.ask(t, 1)
		p.Go(func() {
			if _, err := p.of(asked, rolloutAsked{rollout: "driver"}, 1, time.Now(), p.play); err == nil {
				t.Error("who left waits")
			}
		})
		synctest.Wait()
		k := p.kept[rolloutAsked{rollout: "driver"}]
		if k.waiting.Load() != 1 {
			t.Errorf("%d wait, want 1", k.waiting.Load())
		}
		end()
		synctest.Wait()
		if k.waiting.Load() != 0 {
			t.Errorf("%d wait after the one left", k.waiting.Load())
		}
		close(p.hold)
		p.Wait()
	})
}

// What is kept of ends is bounded.
func TestKeptEndsAreBounded(t *testing.T) {
	p := &plays{version: 1, hold: make(chan struct{})}
	close(p.hold)
	for i := range 3 * mostEnds {
		if _, err := p.of(t.Context(), rolloutAsked{rollout: fmt.Sprint(i)}, 1, time.Now(), p.play); err != nil {
			t.Fatal(err)
		}
	}
	if len(p.kept) > mostEnds {
		t.Errorf("%d are kept", len(p.kept))
	}
}

// One end serves many callers: each is told only of the zones that they are shown, and takes nothing from the others'.
func TestASharedEndTellsNoHiddenZone(t *testing.T) {
	played := &musterv1.RolloutEnd{Sooner: []*musterv1.SoonerEnd{{Change: "twice as many"}, {Change: "zone secret ends now", Zone: "secret"}, {Change: "zone audit ends now", Zone: "audit"}}}
	eves := shownEnd(played, []*musterv1.Zone{{Name: "audit"}})
	if got := len(eves.GetSooner()); got != 2 || strings.Contains(eves.String(), "secret") {
		t.Errorf("eve is told %v", eves)
	}
	all := shownEnd(played, []*musterv1.Zone{{Name: "audit"}, {Name: "secret"}})
	if got := len(all.GetSooner()); got != 3 || !proto.Equal(all, played) {
		t.Errorf("who is shown all zones is told %v", all)
	}
}
