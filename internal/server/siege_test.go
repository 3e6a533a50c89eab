package server

import (
	"net/http"
	"os/exec"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/prove/siege"
)

// TestSiege lays a short siege to a real server. No single request of the hostile caller is
// answered with more than 1 MB, and none that is refused costs 64 MB. Each kind of call of the
// others is answered beside it, and it is refused what is above its bounds. `muster bench siege`
// has the figures.
func TestSiege(t *testing.T) {
	if testing.Short() || slowed {
		t.Skip("it takes half a minute, and tells nothing of a server that the race detector slows down")
	}
	muster, err := exec.LookPath("muster")
	if err != nil {
		t.Fatal(err)
	}
	is, err := siege.Run(t.Context(), siege.Options{
		Program: muster, Dir: t.TempDir(), Lasts: 4 * time.Second, Patience: 2 * time.Minute, People: 10, Submitters: 5, Progress: func(what string) { t.Log(what) },
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range is.Singles {
		if one.Answer > 1<<20 {
			t.Errorf("%s is answered with %d bytes", one.Name, one.Answer)
		}
		if one.Status != http.StatusOK && one.Memory > 64<<20 {
			t.Errorf("%s is refused, and took %d MB", one.Name, one.Memory>>20)
		}
	}
	for what, w := range is.Without.Waits {
		if is.Beside.Waits[what].Calls == 0 {
			t.Errorf("%s: %d times without the hostile caller, never beside it", what, w.Calls)
		}
	}
	if is.Foe["429"] == 0 {
		t.Errorf("the hostile caller is never held back: %v", is.Foe)
	}
}
