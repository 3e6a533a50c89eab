package engine

import (
	"bytes"
	"compress/flate"
	"testing"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestSnapshotsOfEveryKindAreRead: those of today, and those that earlier servers made.
func TestSnapshotsOfEveryKindAreRead(t *testing.T) {
	s := newStage(t).state
	today, err := SnapshotOf(s)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	zipped := bytes.NewBufferString(string(inJSON))
	z, _ := flate.NewWriter(zipped, flate.BestSpeed)
	_, _ = z.Write(plain)
	_ = z.Close()
	for kind, data := range map[string][]byte{"compact": today.Data, "JSON": plain, "compressed JSON": zipped.Bytes()} {
		if back, err := unpack(data); err != nil || back.Hash() != s.Hash() {
			t.Errorf("a snapshot in %s comes back as another state (%v)", kind, err)
		}
	}
	for n := range len(today.Data) {
		if back, err := unpack(today.Data[:n]); err == nil && back.Hash() == s.Hash() {
			t.Errorf("cut after %d bytes it is read", n)
		}
	}
	var none *fleet.State
	if back, err := unpack(nil); err == nil || back != none {
		t.Error("an empty snapshot is read")
	}
}
