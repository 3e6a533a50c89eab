package ask

import (
	"fmt"
	"testing"
	"time"
)

// parcel is a thing that becomes heavier once it is filled.
type parcel struct {
	whose string
	bytes int
	until time.Time // zero: it stays
}

func (p *parcel) Owner() string { return p.whose }
func (p *parcel) Weight() int   { return p.bytes }

func (p *parcel) Over(now time.Time) bool { return !p.until.IsZero() && now.After(p.until) }

// holds demands what a shelf keeps: so many things, which weigh so much.
func holds(t *testing.T, s *Shelf[*parcel], things, weighs int) {
	t.Helper()
	if len(s.kept) != things || s.weighs != weighs {
		t.Errorf("the shelf holds %d things of %d bytes, want %d of %d", len(s.kept), s.weighs, things, weighs)
	}
}

func TestOnAFullShelfWhoKeepsMostGivesWay(t *testing.T) {
	s := &Shelf[*parcel]{Most: 4, Bytes: 100}
	s.Put("ada's", &parcel{whose: "ada", bytes: 1})
	for i := range 3 {
		s.Put(fmt.Sprint("bob's ", i), &parcel{whose: "bob", bytes: 1})
	}
	s.Put("bob's fourth", &parcel{whose: "bob", bytes: 1})
	if _, found := s.Get("ada's"); !found {
		t.Error("ada, who keeps one thing, gave way to bob, who keeps three")
	}
	holds(t, s, 2, 2)
}

func TestAThingThatBecameTooHeavyLeavesTheShelf(t *testing.T) {
	s := &Shelf[*parcel]{Most: 4, Bytes: 100}
	heavy := &parcel{whose: "bob", bytes: 1}
	s.Put("ada's", &parcel{whose: "ada", bytes: 1})
	s.Put("bob's", heavy)
	heavy.bytes = 90
	s.Weigh("bob's", heavy)
	holds(t, s, 2, 91)
	heavy.bytes = 200
	s.Weigh("bob's", heavy)
	holds(t, s, 1, 1)
}

// A thing that another has replaced is no longer on the shelf: what it weighs is not counted.
func TestOnlyWhatIsOnTheShelfIsCounted(t *testing.T) {
	s := &Shelf[*parcel]{Most: 4, Bytes: 100}
	first := &parcel{whose: "bob", bytes: 5}
	s.Put("bob's", first)
	s.Put("bob's", &parcel{whose: "bob", bytes: 7})
	holds(t, s, 1, 7)
	first.bytes = 60
	s.Weigh("bob's", first)
	holds(t, s, 1, 7)
	s.Remove("bob's")
	holds(t, s, 0, 0)
	s.Put("bob's", first)
	s.Clear()
	holds(t, s, 0, 0)
}

// What is handed out no more takes no memory, though there is room for it.
func TestWhatIsOverLeavesTheShelf(t *testing.T) {
	now := time.Now()
	s := &Shelf[*parcel]{Most: 8, Bytes: 100}
	s.Put("ada's", &parcel{whose: "ada", bytes: 30, until: now.Add(time.Minute)})
	s.Put("bob's", &parcel{whose: "bob", bytes: 30})
	s.swept = now
	s.sweep(now.Add(sweepEvery / 2))
	holds(t, s, 2, 60)
	s.sweep(now.Add(time.Hour))
	holds(t, s, 1, 30)
	if _, found := s.Get("bob's"); !found {
		t.Error("what can still be handed out has left")
	}
}
