package kubetest

import (
	"errors"
	"path/filepath"
	"testing"
	"time"
)

// TestTheControlPlaneIsBuilt builds the programs where MUSTER_CONTROLPLANE says so:
// this is what make controlplane runs.
func TestTheControlPlaneIsBuilt(t *testing.T) {
	began := time.Now()
	dir, err := Binaries(t.Context())
	if Skips(err) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if left := lacking(dir); len(left) > 0 {
		t.Errorf("%v are not in %s", left, dir)
	}
	t.Logf("the control plane's programs are in %s after %s", dir, time.Since(began).Round(time.Second))
}

func TestALockIsHeldByOneAtATime(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a", "lock")
	first, err := tryLock(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tryLock(file); !errors.Is(err, errHeld) {
		t.Fatalf("held, and taken again: %v", err)
	}
	taken := make(chan error)
	go func() {
		second, err := waitLock(t.Context(), file)
		second.free()
		taken <- err
	}()
	first.free()
	if err := <-taken; err != nil {
		t.Fatal(err)
	}
}
