package kubetest

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// KueueCRDs lists the files of Kueue's custom resource definitions, as they lie in
// its module: version and checksum are those of test/kueue.
func KueueCRDs(ctx context.Context) ([]string, error) {
	dir, err := kueueSource(ctx)
	if err != nil {
		return nil, err
	}
	return filepath.Glob(filepath.Join(dir, "config", "components", "crd", "bases", "kueue.x-k8s.io_*.yaml"))
}

// kueueModule is the folder of the module that names Kueue.
func kueueModule() (string, error) {
	module, err := moduleDir()
	return filepath.Join(filepath.Dir(module), "kueue"), err
}

// kueueSource is where the module cache keeps Kueue; it is fetched if need be.
func kueueSource(ctx context.Context) (string, error) {
	module, err := kueueModule()
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", "sigs.k8s.io/kueue")
	cmd.Dir = module
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("kubetest: %s: %w\n%s", cmd, err, out)
	}
	for line := range strings.Lines(string(out)) {
		if _, dir, ok := strings.Cut(line, `"Dir": "`); ok {
			return strings.Split(dir, `"`)[0], nil
		}
	}
	return "", fmt.Errorf("kubetest: %s names no folder:\n%s", cmd, out)
}
