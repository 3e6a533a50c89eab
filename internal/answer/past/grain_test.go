package past

import "testing"

// A year of hours keeps its 35 youngest days as hours, and no memory of those that were summed into days.
func TestHoursThatRolledOverLeaveMemory(t *testing.T) {
	s := Series{Width: 2}
	for at := int64(0); at < 365*day; at += hour {
		s.add(at, 1, 1)
		if have, most := cap(s.ByHour.V), 2*2*int(KeepHours/hour+24); have > most {
			t.Fatalf("on day %d hours have room for %d sums, want at most %d", at/day, have, most)
		}
	}
	s.add(1000*day, 1, 1)
	if s.ByHour.len() != 1 || cap(s.ByHour.V) > 8 {
		t.Errorf("%d hours are kept, in room for %d sums; want 1 in little more than its own", s.ByHour.len(), cap(s.ByHour.V))
	}
	if v, _, _ := s.window(0, 1001*day); v[0] != 0 || v[1] != 365*24+1 {
		t.Errorf("the sums are %v, want 0 and %d", v, 365*24+1)
	}
}

// Sums of a bucket are its own: what is written beyond them is not the next one's.
func TestABucketEndsWhereTheNextBegins(t *testing.T) {
	var g Grain
	g.grow(hour, 2)
	g.grow(2*hour, 2)
	copy(g.sums(0), []int64{1, 2})
	_ = append(g.sums(0), 9)
	if is := g.sums(1); is[0] != 0 || is[1] != 0 {
		t.Errorf("the second bucket has %v, want zeros", is)
	}
	for i := range g.sums(1) {
		g.sums(1)[i] = 7
	}
	if g.drop(1); g.sums(0)[0] != 7 || g.last() != 2*hour {
		t.Errorf("after the first was dropped: %+v", g)
	}
	if is := g.grow(3*hour, 2); is[0] != 0 || is[1] != 0 {
		t.Errorf("a new bucket has %v, want zeros", is)
	}
}
