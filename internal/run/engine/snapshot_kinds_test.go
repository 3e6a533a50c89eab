package engine

import (
	"bytes"
	"compress/flate"
	"errors"
	"testing"
)

// Snapshots of today are used. Those in JSON, which early servers made, are not: the log is
// replayed instead.
func TestSnapshotsOfEarlyKindsAreNotUsed(t *testing.T) {
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
	if back, err := trusted(today.Data); err != nil || back.Hash() != s.Hash() {
		t.Errorf("a snapshot of today comes back as another state (%v)", err)
	}
	for kind, data := range map[string][]byte{"JSON": plain, "compressed JSON": zipped.Bytes(), "nothing": nil} {
		if _, err := trusted(data); !errors.Is(err, errOtherVersion) {
			t.Errorf("a snapshot in %s: %v, want that it is of another version", kind, err)
		}
	}
	for n := range len(today.Data) {
		if back, err := trusted(today.Data[:n]); err == nil && back.Hash() == s.Hash() {
			t.Errorf("cut after %d bytes it is read", n)
		}
	}
}
