package kubetest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestTheOperatorIsBuilt builds Azure Service Operator's controller where MUSTER_CONTROLLERS says so.
func TestTheOperatorIsBuilt(t *testing.T) {
	began := time.Now()
	dir, err := OperatorFiles(t.Context())
	if errors.Is(err, ErrNoOperator) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"controller", filepath.Join("crds", "compute.azure.com_virtualmachinescalesets.yaml"), filepath.Join("webhooks", "manifests.yaml")} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	t.Logf("the operator's files are in %s after %s", dir, time.Since(began).Round(time.Second))
}
