package past

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

func sameText(a, b string) bool { return unsafe.StringData(a) == unsafe.StringData(b) }

// Work that waits for the same names it by the same text, and nodes that came together stand side by side in memory,
// also in notes that were read.
func TestWhatIsEqualIsKeptOnce(t *testing.T) {
	own := strings.Clone
	heard := New()
	for id := range uint64(2) {
		heard.stand(1, id, own("tiger r/x NoRoom nodes"), 8)
	}
	read := New().Notes
	for id, name := range []string{"n1", "n2"} {
		read.Waits[uint64(id)] = Waiter{own("tiger r/x NoRoom nodes"), 8}
		read.Nodes[name] = &NodeLife{Partition: own("tiger/h200"), Island: own("a"), GPUs: id}
		read.Episodes = append(read.Episodes, Episode{Partition: own("tiger/h200"), Island: own("a"), Cause: own("XID 79")})
	}
	resumed := Resume(read, fleet.NewState())
	for way, b := range map[string]*Book{"heard": heard, "read": resumed} {
		if !sameText(b.Waits[0].Key, b.Waits[1].Key) {
			t.Errorf("%s: keys of waiting work are texts of their own", way)
		}
	}
	x, y := resumed.Nodes["n1"], resumed.Nodes["n2"]
	if x.GPUs != 0 || y.GPUs != 1 || !sameText(x.Partition, y.Partition) || !sameText(x.Island, y.Island) {
		t.Errorf("nodes were mixed up, or have texts of their own: %+v and %+v", *x, *y)
	}
	if apart := uintptr(unsafe.Pointer(y)) - uintptr(unsafe.Pointer(x)); apart != unsafe.Sizeof(*x) && -apart != unsafe.Sizeof(*x) {
		t.Errorf("two nodes stand %d bytes apart", apart)
	}
	if e := resumed.Episodes; !sameText(e[0].Cause, e[1].Cause) || !sameText(e[0].Partition, x.Partition) {
		t.Error("episodes have texts of their own")
	}
}
