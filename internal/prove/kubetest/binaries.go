package kubetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/muster-fleet/muster/internal/prove/testmodule"
)

// Wanted is the environment variable that says what becomes of tests that need a
// control plane. With 1 the programs are built where they are missing, and a test
// that cannot have them fails; with try it is skipped; with 0 it is skipped whatever
// is there. Without the variable, what is built is used, by few tests.
const Wanted = "MUSTER_CONTROLPLANE"

// Version is what the control plane's programs say they are.
const Version = "v1.36.3"

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

// ErrAbsent says that the programs are not there and were not to be built.
var ErrAbsent = errors.New("no control plane is built; make controlplane builds it once (about six minutes), or set " + Wanted + "=1")

// ErrUnwanted says that a test is not to start a control plane.
var ErrUnwanted = errors.New(Wanted + "=0: no control plane is started")

// Skips says whether an error only means that there is no control plane to be had
// where none is insisted on.
func Skips(err error) bool {
	return errors.Is(err, ErrAbsent) || errors.Is(err, ErrUnwanted) || err != nil && os.Getenv(Wanted) == "try" && errors.Is(err, errNotBuilt)
}

// errNotBuilt says that a program could not be built.
var errNotBuilt = errors.New("kubetest: not built")

// Binaries is the folder with the programs. It builds them where they are missing
// and the environment says so; of several processes one builds, and the others wait.
func Binaries(ctx context.Context) (string, error) {
	wanted := os.Getenv(Wanted)
	if wanted == "0" {
		return "", ErrUnwanted
	}
	module, err := testmodule.Dir(controlPlane)
	if err != nil {
		return "", err
	}
	dir, err := cached("controlplane", "", module)
	if err != nil {
		return "", err
	}
	if len(lacking(dir)) == 0 {
		return dir, nil
	}
	if wanted != "1" && wanted != "try" {
		return "", ErrAbsent
	}
	l, err := waitLock(ctx, filepath.Join(dir, "build.lock"))
	if err != nil {
		return "", err
	}
	defer l.free()
	for _, name := range lacking(dir) { // looked at anew: another may have built them meanwhile
		if err := buildOne(ctx, module, dir, name); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// lacking lists the programs that are not in a folder, in the order in which they are built.
func lacking(dir string) (names []string) {
	for _, name := range order {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			names = append(names, name)
		}
	}
	return names
}

// controlPlane is the module of the control plane.
const controlPlane = "controlplane"

// buildPatience bounds the build of one program: a cold one takes minutes.
const buildPatience = 30 * time.Minute

// buildOne builds one program and puts it in place whole.
func buildOne(ctx context.Context, module, dir, name string) error {
	ctx, cancel := context.WithTimeout(ctx, buildPatience)
	defer cancel()
	made := filepath.Join(dir, fmt.Sprintf(".%s.%d", name, os.Getpid()))
	const stamp = "k8s.io/component-base/version."
	cmd := exec.CommandContext(ctx, "go", "build", "-o", made,
		"-ldflags", "-s -w -X "+stamp+"gitVersion="+Version+" -X "+stamp+"gitMajor=1 -X "+stamp+"gitMinor=36", programs[name])
	cmd.Dir, cmd.Env = module, append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	fmt.Fprintf(os.Stderr, "builds %s, once\n", name)
	if out, err := cmd.CombinedOutput(); err != nil {
		_ = os.Remove(made)
		return fmt.Errorf("%w: %s: %w\n%s", errNotBuilt, name, err, out)
	}
	return os.Rename(made, filepath.Join(dir, name))
}
