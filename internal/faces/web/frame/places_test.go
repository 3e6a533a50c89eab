package frame

import (
	"context"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/run/gate"
)

// taken waits until a place is there, as a page does that is being made.
func taken(t *testing.T, p *places) (within func(time.Duration) bool) {
	t.Helper()
	return func(d time.Duration) bool {
		ctx, end := context.WithTimeout(t.Context(), d)
		defer end()
		return p.take(ctx, opened)
	}
}

// A page that waits for an answer lends its place: another page is made meanwhile. It has its place
// back at once, and the next page waits until there are as few as may be.
func TestAPageThatWaitsLendsItsPlace(t *testing.T) {
	all := places{most: 1}
	take := taken(t, &all)
	if !take(time.Minute) {
		t.Fatal("the first page has no place")
	}
	first := &place{of: &all}
	if take(10 * time.Millisecond) {
		t.Fatal("there are two pages at one place")
	}
	back := first.lend()
	again := first.lend() // two questions of it at a time
	if !take(time.Minute) {
		t.Fatal("no other page is made while the first waits")
	}
	second := &place{of: &all}
	again()
	back()
	second.leave()
	if take(10 * time.Millisecond) {
		t.Error("the first page's place was given away")
	}
	first.leave()
	if !take(time.Minute) {
		t.Error("the place did not come back")
	}
}

// A page that was closed while it waited for a place leaves the line.
func TestAClosedPageLeavesTheLine(t *testing.T) {
	all := places{most: 1}
	take := taken(t, &all)
	take(time.Minute)
	for range 10 {
		if take(time.Millisecond) {
			t.Fatal("there are two pages at one place")
		}
	}
	all.give()
	if !take(time.Minute) {
		t.Error("closed pages are in the way")
	}
	if len(all.lines[opened]) != 0 {
		t.Errorf("%d are in line", len(all.lines[opened]))
	}
}

// A page that a reader opens is made before those that are open and ask for what has changed,
// though these came first.
func TestOpenedPagesComeBeforeRenewedOnes(t *testing.T) {
	all := places{most: 1}
	all.take(t.Context(), opened)
	old, fresh := all.join(renewed), all.join(opened)
	all.give()
	select {
	case <-old:
		t.Error("the page that is open already is renewed first")
	case <-fresh:
	}
	all.give()
	<-old
}

// What is worked while a place is lent is the API's to count: the page's reader does not pay for it twice.
func TestWhatIsWorkedWhileAPlaceIsLentIsNotThePages(t *testing.T) {
	const much = 30 * time.Millisecond
	one := &place{of: &places{most: 1}}
	one.of.take(t.Context(), opened)
	back, inner := one.lend(), one.lend() // as a question that waits within another
	worked, all := gate.Busy(), gate.Elapsed()
	for all() < much {
	}
	did := worked()
	inner()
	back()
	if away := one.leave(); away < did || away > did+much {
		t.Errorf("%v were worked while it was lent, want %v", away, did)
	}
}
