// Package tofutest lets tests run OpenTofu or Terraform with a small provider of our own, from
// test/provider. It has the data source muster_inventory, and the resource muster_thing: a file,
// which stands outside of the program's state and can be changed by hand.
package tofutest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/muster-fleet/muster/internal/prove/testmodule"
)

// Provider lets the program find the provider, for as long as the test goes on. It builds the
// provider where that is missing (seconds); it is kept outside the clone. Where the modules that it
// is made of cannot be had, the test is skipped, and says so.
func Provider(t *testing.T) {
	t.Helper()
	module, err := testmodule.Dir("provider")
	if err != nil {
		t.Fatal(err)
	}
	mirror, err := mirrorOf(module)
	if errors.Is(err, errNoModules) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "tofu.rc")
	text := fmt.Sprintf("provider_installation {\n  filesystem_mirror { path = %q }\n}\n", mirror)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TF_CLI_CONFIG_FILE", config)
}

// mirrorOf is a folder as the program looks providers up in, with the provider in it.
func mirrorOf(module string) (string, error) {
	key, err := keyOf(module)
	if err != nil {
		return "", err
	}
	home, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	mirror := filepath.Join(home, "muster", "provider", key)
	folder := filepath.Join(mirror, "muster.test", "fleet", "muster", "1.0.0", runtime.GOOS+"_"+runtime.GOARCH)
	file := filepath.Join(folder, "terraform-provider-muster_v1.0.0")
	if _, err := os.Stat(file); err == nil {
		return mirror, nil
	}
	return mirror, build(module, file)
}

// keyOf is another for every source of the provider and every compiler.
func keyOf(module string) (string, error) {
	files, err := filepath.Glob(filepath.Join(module, "*"))
	if err != nil {
		return "", err
	}
	slices.Sort(files)
	sum := sha256.New()
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%s %d\n%s", filepath.Base(file), len(data), data)
	}
	fmt.Fprint(sum, runtime.Version())
	return fmt.Sprintf("%x", sum.Sum(nil)[:6]), nil
}

// errNoModules says that what the provider is made of cannot be had.
var errNoModules = errors.New("tofutest: the modules of test/provider cannot be had")

// build puts the provider in place whole. Several processes may do so at once.
func build(module, file string) error {
	load := exec.Command("go", "mod", "download")
	load.Dir, load.Env = module, append(os.Environ(), "GOWORK=off")
	if out, err := load.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %w\n%s", errNoModules, err, out)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		return err
	}
	part := fmt.Sprintf("%s.%d", filepath.Dir(file), os.Getpid()) // on the same disk
	cmd := exec.Command("go", "build", "-ldflags", "-s -w", "-o", part, ".")
	cmd.Dir, cmd.Env = module, append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("tofutest: the provider is not built: %w\n%s", err, out)
	}
	return os.Rename(part, file)
}
