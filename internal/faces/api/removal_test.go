package api

import (
	"testing"
	"time"
)

// removal is how long a person or a program that was removed may still be answered.
const removal = 10 * time.Second

// A person or a program that is removed is refused in time, however it is known, on streams too.
func TestRemovalIsSwift(t *testing.T) {
	for what, wait := range map[string]time.Duration{"the tokens file": fileEvery, "a cluster's review": reviewGood} {
		if wait+usualRecheck > removal {
			t.Errorf("%s is looked at every %v, and streams every %v: together more than %v", what, wait, usualRecheck, removal)
		}
	}
}
