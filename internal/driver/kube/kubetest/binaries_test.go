package kubetest

import (
	"context"
	"errors"
	"os"
	"testing"
)

// TestTheControlPlaneIsBuilt builds the programs where MUSTER_CONTROLPLANE is 1:
// this is what make controlplane runs.
func TestTheControlPlaneIsBuilt(t *testing.T) {
	dir, err := Binaries(context.Background(), os.Getenv(Wanted) == "1")
	if errors.Is(err, ErrAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Log("the control plane's programs are in " + dir)
}
