package kubetest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// kept is another project's program that is built once and kept outside the clone.
type kept struct {
	name, program string // how people call it, and its package
	module        string // the folder of the module that pins its version
	file          string // where it is kept
	wanted        string // the environment variable that, set to 1, has it built
	absent        error  // what is said where it is not there and is not to be built
}

// get is the file of the program, built where it is missing and that is asked for. Of
// several processes that want it one builds, and the others wait.
func (k kept) get(ctx context.Context) (string, error) {
	if there, err := exists(k.file); there || err != nil {
		return k.file, err
	}
	if os.Getenv(k.wanted) != "1" {
		return "", k.absent
	}
	l, err := waitLock(ctx, k.file+".lock")
	if err != nil {
		return "", err
	}
	defer l.free()
	if there, err := exists(k.file); there || err != nil {
		return k.file, err
	}
	fmt.Fprintf(os.Stderr, "builds %s, once\n", k.name)
	made := fmt.Sprintf("%s.%d", k.file, os.Getpid())
	if out, err := goIn(ctx, k.module, "build", "-ldflags", "-s -w", "-o", made, k.program); err != nil {
		return "", fmt.Errorf("%w: %s: %w\n%s", errNotBuilt, k.name, err, out)
	}
	return k.file, os.Rename(made, k.file)
}

func exists(file string) (bool, error) {
	_, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func goIn(ctx context.Context, dir string, arguments ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", arguments...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	return cmd.CombinedOutput()
}

// cached is a place outside the clone, below a folder, that is another for every set
// of versions that a module pins, for every text of more of its files, and for every compiler.
func cached(folder, prefix, module string, more ...string) (string, error) {
	var of []byte
	for _, name := range append([]string{"go.sum"}, more...) {
		data, err := os.ReadFile(filepath.Join(module, name))
		if err != nil {
			return "", err
		}
		of = append(of, data...)
	}
	home, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	key := sha256.Sum256(append(of, runtime.Version()+runtime.GOARCH...))
	return filepath.Join(home, "muster", folder, fmt.Sprintf("%s%x", prefix, key[:6])), nil
}
