package frame

import (
	"context"
	"runtime"
	"testing"
	"time"
)

// A reader whose pages take for ever keeps no other reader from theirs.
func TestOneReaderNeverHasAllTurns(t *testing.T) {
	turns := newTurns()
	brief, end := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer end()
	for range 2 * turns.all.most {
		go turns.take(brief, "bob", opened, false) // and never gives one back
	}
	<-brief.Done()
	patient, over := context.WithTimeout(t.Context(), 10*time.Second)
	defer over()
	for _, reader := range []string{"ada", "eve"} { // at the same time
		if _, _, ok := turns.take(patient, reader, opened, false); !ok {
			t.Fatalf("%s has no turn", reader)
		}
	}
}

// A page that was kept waiting does not count as work of its reader, whose next page would wait for it.
func TestWhatAPageWaitsForIsNoWorkOfItsReader(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("how long a thread has had a processor is asked on Linux only")
	}
	turns := newTurns()
	_, give, ok := turns.take(t.Context(), "ada", opened, false)
	if !ok {
		t.Fatal("no turn")
	}
	had := turns.each["ada"].left
	<-time.After(300 * time.Millisecond)
	give()
	if left := turns.each["ada"].left; left < had-0.1 {
		t.Errorf("ada has %.2f s left of %.2f", left, had)
	}
}

// More pages of one reader than anybody has open are refused, and another's are not.
func TestOpenPagesOfOneReaderAreCounted(t *testing.T) {
	var o openPages
	var leave func()
	for i := range mostOfReader {
		var ok bool
		if leave, ok = o.enter("bob"); !ok {
			t.Fatalf("page %d is refused", i)
		}
	}
	if _, ok := o.enter("bob"); ok {
		t.Error("one more is told of changes")
	}
	if _, ok := o.enter("ada"); !ok {
		t.Error("another reader's page is refused")
	}
	leave()
	if _, ok := o.enter("bob"); !ok {
		t.Error("there is no room after one was closed")
	}
}

// A reader whose page took long rests before the next one; one who runs the fleet does not.
func TestWhoRunsTheFleetDoesNotRest(t *testing.T) {
	turns := newTurns()
	turns.each["ada"] = &readerTurns{own: make(chan struct{}, 2), left: -10, paid: time.Now()}
	brief, end := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer end()
	if _, _, ok := turns.take(brief, "ada", opened, false); ok {
		t.Error("a reader who has had 10 s of work has a turn at once")
	}
	patient, over := context.WithTimeout(t.Context(), 10*time.Second)
	defer over()
	if _, _, ok := turns.take(patient, "ada", opened, true); !ok {
		t.Error("an operator rests, too")
	}
}
