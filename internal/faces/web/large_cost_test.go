package web_test

import (
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
)

// mostOfThePage is what the page of one workload may take of a processor in a fleet of 20,000 nodes, most of them out of service.
const mostOfThePage = 300 * time.Millisecond

// Who asks about one workload does not have the server look at 20,000 nodes that are out of service.
func TestTheWorkloadPageOfATroubledFleetIsCheap(t *testing.T) {
	if testing.Short() {
		t.Skip("a large fleet takes a while")
	}
	h := open(t, nil).furnish().enlarge().trouble()
	path := "/workload/oak/" + longName
	least := time.Hour
	for i := range 4 {
		h.do(core.UpdateIncident{Name: "worst", Note: strings.Repeat("x", i+1)}) // no answer from before serves
		before, began := processor(t), time.Now()
		if status, _ := h.get(path); status != http.StatusOK {
			t.Fatalf("it is answered with %d", status)
		}
		spent := processor(t) - before
		t.Logf("%v of a processor, in %v", spent, timeSince(began))
		least = min(least, spent)
	}
	if least > mostOfThePage {
		t.Errorf("the page takes %v of a processor, should take at most %v", least, mostOfThePage)
	}
}

func timeSince(at time.Time) time.Duration { return time.Since(at).Round(time.Millisecond) }

// processor is how long this process has had a processor.
func processor(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	must(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
