package web_test

import (
	"fmt"
	"net/http"
	"syscall"
	"testing"
	"time"
)

// mostOfThePage is what the page of one workload, and each part of it, may take of a processor in a fleet of 20,000 nodes, most of
// them out of service. They take a third of that; what would help took 5.4 s.
var mostOfThePage = map[string]time.Duration{"": 100 * time.Millisecond, "/why": time.Second, "/help": 3 * time.Second, "/story": time.Second}

// Who asks about one workload does not have the server look at 20,000 nodes that are out of service, one after the other:
// its page, and each part of it.
func TestTheWorkloadPageOfATroubledFleetIsCheap(t *testing.T) {
	if testing.Short() {
		t.Skip("a large fleet takes a while")
	}
	h := open(t, nil).furnish().enlarge().trouble()
	for _, part := range []string{"", "/why", "/help", "/story"} {
		most := mostOfThePage[part]
		least := time.Hour
		for i := range 4 { // each of another workload: no answer from before serves
			before, began := processor(t), time.Now()
			if status, _ := h.get("/workload/oak/" + fmt.Sprintf("%0200d", 5999-i) + part); status != http.StatusOK {
				t.Fatalf("%q is answered with %d", part, status)
			}
			spent := processor(t) - before
			t.Logf("%q: %v of a processor, in %v", part, spent.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
			least = min(least, spent)
		}
		if least > most {
			t.Errorf("%q takes %v of a processor, should take at most %v", part, least, most)
		}
	}
}

// processor is how long this process has had a processor.
func processor(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	must(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
