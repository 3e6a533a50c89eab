package gate

import (
	"testing"
	"time"
)

// What a goroutine waits for does not count, and what it works does, also where it is counted within a count.
func TestWaitingDoesNotCountAsBusy(t *testing.T) {
	const much = 50 * time.Millisecond
	outer, took, all := Busy(), Busy(), Elapsed()
	<-time.After(4 * much)
	if waited := took(); waited > 2*much {
		t.Errorf("a goroutine that waited for %v was busy for %v", all(), waited)
	}
	took = Busy()
	for end := processorTime() + much; processorTime() < end; {
	}
	if worked := took(); worked < much {
		t.Errorf("a goroutine that worked for %v was busy for %v", much, worked)
	}
	if worked := outer(); worked < much || worked > all()-2*much {
		t.Errorf("counted around both, it was busy for %v of %v", worked, all())
	}
}
