package frame

import (
	"context"
	"testing"
	"time"
)

// A reader whose pages take for ever keeps no other reader from theirs.
func TestOneReaderNeverHasAllTurns(t *testing.T) {
	turns := newTurns()
	brief, end := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer end()
	for range 2 * turns.all.most {
		go turns.take(brief, "bob", opened) // and never gives one back
	}
	<-brief.Done()
	patient, over := context.WithTimeout(t.Context(), 10*time.Second)
	defer over()
	for _, reader := range []string{"ada", "eve"} { // at the same time
		if _, _, ok := turns.take(patient, reader, opened); !ok {
			t.Fatalf("%s has no turn", reader)
		}
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
