package bench

import (
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/prove/siege"
)

// The verdict of a siege names what is not met, and nothing else.
func TestTheVerdictOfASiege(t *testing.T) {
	waits := func(p99 time.Duration) map[string]siege.Waits {
		return map[string]siege.Waits{"a page is opened": {Calls: 100, P50: time.Millisecond, P99: p99}}
	}
	result := siege.Result{Without: siege.Part{Waits: waits(20 * time.Millisecond), Memory: 100 << 20}, Beside: siege.Part{Waits: waits(39 * time.Millisecond), Memory: 300 << 20}}
	for _, one := range []struct {
		what   string
		change func()
		says   string
	}{
		{"near enough", func() {}, "Verdict: all aims are met."},
		{"slower", func() { result.Beside.Waits = waits(41 * time.Millisecond) }, "Verdict: not met: a page is opened, p99 beside the foe (≤ 2 × without)."},
		{"larger, too", func() { result.Beside.Memory = 500 << 20 }, "memory of the server, the most more beside the foe (≤ 300 MB)."},
	} {
		one.change()
		var r Report
		r.sides(result)
		r.verdict()
		if last := r.Remarks[len(r.Remarks)-1]; !strings.HasSuffix(last, one.says) || !strings.HasPrefix(last, "Verdict: ") {
			t.Errorf("%s: %s", one.what, last)
		}
	}
}
