package tofu

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/run/provision"
)

// mostSource bounds a project, in bytes.
const mostSource = 64 << 20

// Source is where projects come from: a folder, or a git repository, each project a folder in it.
type Source struct {
	Place  string // a folder; or, where it names a host or ends in .git, a repository
	Branch string // of the repository; "": main
	Token  string // of an HTTPS repository; "": git's own ways
	lock   *sync.Mutex
}

// NewSource is a source of projects.
func NewSource(place, branch, token string) Source {
	if branch == "" {
		branch = "main"
	}
	return Source{place, branch, token, &sync.Mutex{}}
}

func (s *Source) git() bool {
	return strings.Contains(s.Place, "://") || strings.HasSuffix(s.Place, ".git")
}

// copy lays a project out in a folder of its own, and says at which commit it is: that of the
// repository, or a fingerprint of the folder's files.
func (s *Source) copy(ctx context.Context, cache, project, to string) (commit string, _ error) {
	s.lock.Lock() // one fetch at a time
	defer s.lock.Unlock()
	from := s.Place
	if s.git() {
		var err error
		if commit, err = s.fetch(ctx, cache); err != nil {
			return "", err
		}
		from = cache
	}
	fingerprint, err := copyProject(from, project, to)
	if errors.Is(err, errNoProject) {
		return "", fmt.Errorf("%w in %s", err, provision.GitPlaceOf(s.Place, s.Token).Address)
	}
	if commit == "" {
		commit = "files " + fingerprint
	}
	return commit, err
}

// fetch brings the branch into the cache.
func (s *Source) fetch(ctx context.Context, cache string) (commit string, err error) {
	ctx, end := context.WithTimeout(ctx, 5*time.Minute)
	defer end()
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return "", err
	}
	place := provision.GitPlaceOf(s.Place, s.Token)
	for _, args := range [][]string{
		{"init", "--quiet"}, {"fetch", "--quiet", "--depth", "1", "--", place.Address, s.Branch}, {"checkout", "--quiet", "--force", "--detach", "FETCH_HEAD"}, {"rev-parse", "HEAD"},
	} {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir, cmd.Env, cmd.WaitDelay = cache, append(environment(), place.Environment...), 2*time.Second
		var out, says bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &says
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("git %s of the projects: %w: %s", args[0], err, brief(provision.Masker(place.Secrets...)(says.String())))
		}
		commit = strings.TrimSpace(out.String())
	}
	return commit, nil
}

// environment lets git ask no person, and heed no settings of the machine.
func environment() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "SSH_AUTH_SOCK=" + os.Getenv("SSH_AUTH_SOCK"), "LC_ALL=C",
		"GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=file:git:http:https:ssh", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_SSH_COMMAND=ssh -o BatchMode=yes",
	}
}

var errLarge = errors.New("the project is too large")

var errNoProject = errors.New("there is no such project")

// copyProject copies a folder of a source. A link that leads out of the source leads to no project.
func copyProject(from, project, to string) (fingerprint string, _ error) {
	source, err := os.OpenRoot(from)
	if err != nil {
		return "", errNoProject
	}
	defer func() { _ = source.Close() }()
	folder, err := source.OpenRoot(project)
	if err != nil {
		return "", errNoProject
	}
	defer func() { _ = folder.Close() }()
	if err := os.RemoveAll(to); err != nil {
		return "", err
	}
	return copyFiles(folder.FS(), to)
}

// copyFiles copies the plain files of a folder, and answers their fingerprint.
func copyFiles(from fs.FS, to string) (fingerprint string, _ error) {
	sum, size := sha256.New(), int64(0)
	err := fs.WalkDir(from, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == ".git" || e.Name() == ".terraform"):
			return fs.SkipDir
		case e.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o700)
		case !e.Type().IsRegular():
			return nil
		}
		data, err := fs.ReadFile(from, name)
		if size += int64(len(data)); err == nil && size > mostSource {
			err = errLarge
		}
		if err != nil {
			return err
		}
		_, _ = io.WriteString(sum, name+"\x00"+string(data)+"\x00")
		return os.WriteFile(filepath.Join(to, name), data, 0o600)
	})
	return hex.EncodeToString(sum.Sum(nil))[:12], err
}
