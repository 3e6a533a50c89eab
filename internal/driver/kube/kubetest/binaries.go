package kubetest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// Wanted is the environment variable that, set to 1, has the programs built where
// they are missing; without it a test that needs them is skipped.
const Wanted = "MUSTER_CONTROLPLANE"

// version is what the programs say they are.
const version = "v1.36.3"

// programs are what is built, by their package.
var programs = map[string]string{
	"etcd":                    "go.etcd.io/etcd/server/v3",
	"kube-apiserver":          "k8s.io/kubernetes/cmd/kube-apiserver",
	"kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
	"kube-scheduler":          "k8s.io/kubernetes/cmd/kube-scheduler",
	"kwok":                    "sigs.k8s.io/kwok/cmd/kwok",
}

// order is in which they are built: what takes longest last.
var order = []string{"etcd", "kwok", "kube-apiserver", "kube-scheduler", "kube-controller-manager"}

// ErrAbsent says that the programs are not there and nobody asked to build them.
var ErrAbsent = errors.New("no control plane is built; make controlplane builds it once (about six minutes), or set " + Wanted + "=1")

// Binaries is the folder with the programs. It builds them where they are missing
// and build says so.
func Binaries(ctx context.Context, build bool) (string, error) {
	module, err := moduleDir()
	if err != nil {
		return "", err
	}
	dir, err := cacheDir(module)
	if err != nil {
		return "", err
	}
	for _, name := range order {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			continue
		}
		if !build {
			return "", ErrAbsent
		}
		if err := buildOne(ctx, module, dir, name); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// moduleDir is the module of the control plane, sought from the working folder upwards.
func moduleDir() (string, error) {
	at, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		dir := filepath.Join(at, "test", "controlplane")
		if _, err := os.Stat(filepath.Join(dir, "go.sum")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(at)
		if up == at {
			return "", errors.New("kubetest: no folder above this one has test/controlplane")
		}
		at = up
	}
}

// cacheDir is a folder of its own for every set of versions and every compiler.
func cacheDir(module string) (string, error) {
	sums, err := os.ReadFile(filepath.Join(module, "go.sum"))
	if err != nil {
		return "", err
	}
	home, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	key := sha256.Sum256(append(sums, runtime.Version()+runtime.GOARCH...))
	return filepath.Join(home, "muster", "controlplane", fmt.Sprintf("%x", key[:6])), nil
}

// buildOne builds one program, with one core so that others can work, and puts it
// in place whole.
func buildOne(ctx context.Context, module, dir, name string) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	made := filepath.Join(dir, fmt.Sprintf(".%s.%d", name, os.Getpid()))
	const stamp = "k8s.io/component-base/version."
	cmd := exec.CommandContext(ctx, "go", "build", "-p", "1", "-o", made,
		"-ldflags", "-s -w -X "+stamp+"gitVersion="+version+" -X "+stamp+"gitMajor=1 -X "+stamp+"gitMinor=36", programs[name])
	cmd.Dir, cmd.Env = module, append(os.Environ(), "CGO_ENABLED=0", "GOMAXPROCS=1", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("kubetest: build %s: %w\n%s", name, err, out)
	}
	return os.Rename(made, filepath.Join(dir, name))
}
