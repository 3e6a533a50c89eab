package sharedfiles

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/link"
	"github.com/muster-fleet/muster/internal/faces/cli"
	"github.com/muster-fleet/muster/internal/run/gate"
	"github.com/muster-fleet/muster/internal/run/journal/postgres"
	"github.com/muster-fleet/muster/internal/run/notify"
	"github.com/muster-fleet/muster/internal/run/wholefile"
	"github.com/muster-fleet/muster/internal/server/datafolder"
)

// patterns are the patterns of their names.
var patterns = []string{notify.KeyFile, notify.KnownFile, notify.CursorFile, datafolder.ClusterMark, datafolder.Agents + "/*.pem", datafolder.Agents + "/*.crt", datafolder.Agents + "/*.uid"}

// stateFile says which version of each file a data folder has.
const stateFile = "shared.json"

// shareEvery is how often a server looks for changes.
const shareEvery = time.Second

// Sharing keeps the files of one data folder and the database alike.
type Sharing struct {
	j     *postgres.Journal
	dir   string
	seal  cipher.AEAD // nil: files are in the database as they are
	leads func() bool
	log   *slog.Logger

	mu    sync.Mutex
	known map[string]alike
}

// alike is what a file was like when it was the same in both.
type alike struct {
	Version int64  `json:"version"` // in the database
	Sum     string `json:"sum"`     // of the file; "": there was none
}

// Options say whose files are kept alike with what.
type Options struct {
	Journal *postgres.Journal
	Dir     string      // the data folder
	KeyFile string      // holds the key that seals what the database has; "": it is not sealed
	Leads   func() bool // whether this server leads now
	Log     *slog.Logger
}

// New keeps the files of a data folder and a database alike.
func New(o Options) (*Sharing, error) {
	sh := &Sharing{j: o.Journal, dir: o.Dir, log: o.Log, known: map[string]alike{}, leads: o.Leads}
	switch known, err := readState(o.Dir); {
	case err == nil:
		sh.known = known
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w; delete it: what the database has holds then", stateFile, err)
	}
	if o.KeyFile == "" {
		return sh, nil
	}
	var err error
	if sh.seal, err = sealBy(o.KeyFile); err != nil {
		return nil, cli.Malformed(err)
	}
	return sh, nil
}

// Forget forgets what a data folder has had in common with a database.
func Forget(dir string) { _ = os.Remove(filepath.Join(dir, stateFile)) }

// Keep keeps the files alike until ctx ends.
func (sh *Sharing) Keep(ctx context.Context) {
	failed := ""
	for gate.Pause(ctx, shareEvery); ctx.Err() == nil; gate.Pause(ctx, shareEvery) {
		why := ""
		if err := sh.Sync(ctx); err != nil && ctx.Err() == nil {
			why = err.Error()
		}
		if why != "" && why != failed {
			sh.log.Warn("the files that the servers share are not kept alike now", "error", why)
		}
		failed = why
	}
}

// sealBy seals by the key in a file that all servers have.
func sealBy(path string) (cipher.AEAD, error) {
	key, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("key of sessions: %w", err)
	}
	own := sha256.Sum256(append([]byte("files that servers of a fleet share\n"), key...))
	block, err := aes.NewCipher(own[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// Sync makes the files of the folder and those of the database alike. What has changed in both is
// as the database has it.
func (sh *Sharing) Sync(ctx context.Context) error {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	there, err := sh.j.FileVersions(ctx)
	if err != nil {
		return err
	}
	here := sh.files()
	names := slices.Concat(slices.Collect(maps.Keys(there)), slices.Collect(maps.Keys(here)), slices.Collect(maps.Keys(sh.known)))
	slices.Sort(names)
	before := maps.Clone(sh.known)
	for _, name := range slices.Compact(names) {
		if err := sh.one(ctx, name, here[name], there[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if maps.Equal(before, sh.known) {
		return nil
	}
	data, err := json.Marshal(sh.known)
	if err != nil {
		return err
	}
	return wholefile.WriteBytes(filepath.Join(sh.dir, stateFile), data)
}

// files are those of the folder.
func (sh *Sharing) files() map[string][]byte {
	found := map[string][]byte{}
	for _, pattern := range patterns {
		paths, _ := filepath.Glob(filepath.Join(sh.dir, filepath.FromSlash(pattern)))
		for _, path := range paths {
			name, err := filepath.Rel(sh.dir, path)
			if data, readErr := os.ReadFile(path); err == nil && readErr == nil {
				found[filepath.ToSlash(name)] = append([]byte{}, data...)
			}
		}
	}
	return found
}

// one makes a file alike. data is nil where the folder has none.
func (sh *Sharing) one(ctx context.Context, name string, data []byte, version int64) error {
	was := sh.known[name]
	leaders := name == notify.CursorFile
	switch {
	case version != was.Version:
		return sh.take(ctx, name, data, leaders)
	case sumOf(data) == was.Sum, leaders && !sh.leads():
		return nil
	}
	sealed := data
	if data != nil {
		sealed = sh.close(name, data)
	}
	now, ok, err := sh.j.PutFile(ctx, postgres.File{Name: name, Version: version, Data: sealed}, leaders)
	if ok {
		sh.known[name] = alike{now, sumOf(data)}
	}
	return err
}

// take makes a file what it is in the database.
func (sh *Sharing) take(ctx context.Context, name string, data []byte, leaders bool) error {
	if !slices.ContainsFunc(patterns, func(pattern string) bool { ok, _ := filepath.Match(pattern, name); return ok }) {
		return nil // of a later version
	}
	f, err := sh.j.ReadFile(ctx, name)
	if err != nil {
		return err
	}
	if f.Data != nil {
		if f.Data, err = sh.open(name, f.Data); err != nil {
			return err
		}
	}
	path := filepath.Join(sh.dir, filepath.FromSlash(name))
	changed := sumOf(data) != sh.known[name].Sum && !bytes.Equal(data, f.Data)
	switch {
	case changed && data != nil && !leaders:
		sh.log.Warn("a file of the data folder is another than the servers share; it is set aside", "file", path, "as", path+".own")
		err = wholefile.WriteBytes(path+".own", data)
	case bytes.Equal(data, f.Data) && (data == nil) == (f.Data == nil):
		sh.known[name] = alike{f.Version, sumOf(data)}
		return nil
	}
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), datafolder.PrivateFolder)
	}
	if err == nil && f.Data != nil {
		err = wholefile.WriteBytes(path, f.Data)
	} else if err == nil {
		if err = os.Remove(path); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if err == nil {
		sh.known[name] = alike{f.Version, sumOf(f.Data)}
	}
	return err
}

// PassesOnWithin is how long a command waits for the server of its data folder.
const PassesOnWithin = 10 * time.Second

// PassedOn returns once the servers of a fleet share who speaks for a cluster as the data folder of
// one of them has it: until then it would be gone with that folder. A server with a journal of its
// own shares nothing.
func PassedOn(dir, cluster string, within time.Duration) error {
	name := datafolder.Agents + "/" + cluster + link.Enrolled
	for end := time.Now().Add(within); ; time.Sleep(50 * time.Millisecond) {
		known, err := readState(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		data, _ := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))) // nil: it was revoked
		if err == nil && known[name].Sum == sumOf(data) {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("who speaks for cluster %s was changed in data folder %s alone: the server of that folder does not run, or does not reach its database. It passes the change on as soon as it can; until then the other servers go by what was before", cluster, dir)
		}
	}
}

// readState is which version of each file a data folder has.
func readState(dir string) (map[string]alike, error) {
	data, err := os.ReadFile(filepath.Join(dir, stateFile))
	if err != nil {
		return nil, err
	}
	known := map[string]alike{}
	err = json.Unmarshal(data, &known)
	return known, err
}

// sumOf names the content of a file; "" where there is none.
func sumOf(data []byte) string {
	if data == nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// The first byte of what the database has says whether it is sealed.
const (
	plainFile  = 'p'
	sealedFile = 's'
)

func (sh *Sharing) close(name string, data []byte) []byte {
	if sh.seal == nil {
		return append([]byte{plainFile}, data...)
	}
	return sh.seal.Seal([]byte{sealedFile}, nil, data, []byte(name))
}

func (sh *Sharing) open(name string, data []byte) ([]byte, error) {
	switch {
	case len(data) > 0 && data[0] == plainFile:
		return append([]byte{}, data[1:]...), nil
	case sh.seal == nil:
		return nil, errors.New("it is sealed: give this server the --session-key of the others")
	}
	plain, err := sh.seal.Open([]byte{}, nil, data[min(1, len(data)):], []byte(name))
	if err != nil {
		return nil, errors.New("it was sealed with another --session-key than this server has")
	}
	return plain, nil
}
