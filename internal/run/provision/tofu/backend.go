package tofu

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/run/wholefile"
)

// mostState bounds the state of a project, in bytes.
const mostState = 64 << 20

// backend keeps states and locks of projects, as the HTTP backend of OpenTofu and Terraform
// asks for them. It listens on this machine alone. A run may use the states of its cluster
// for as long as it runs.
type backend struct {
	folder  string
	people  map[string]string // passwords of those who may use every state
	address string
	server  *http.Server

	mu   sync.Mutex
	runs map[string]guest
}

// guest is a run that goes on.
type guest struct{ cluster, password string }

// lock is who holds the state of a project.
type lock struct {
	Run  string          // an operation, or a person
	Info json.RawMessage // as the program says it
}

// openBackend listens.
func openBackend(folder string, people map[string]string) (*backend, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("tofu: the state backend: %w", err)
	}
	b := &backend{folder: folder, people: people, address: l.Addr().String(), runs: map[string]guest{}}
	b.server = &http.Server{Handler: b, ReadTimeout: time.Minute, WriteTimeout: time.Minute}
	go func() { _ = b.server.Serve(l) }()
	return b, nil
}

func (b *backend) close() { _ = b.server.Close() }

// enter lets a run use the states of its cluster. Locks that runs have left which go on no
// more are taken away: their programs ended with the process that had begun them.
func (b *backend) enter(run, cluster string) (password string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	held, _ := filepath.Glob(filepath.Join(b.folder, url.PathEscape(cluster), "*.lock"))
	for _, path := range held {
		is, err := readLock(path)
		_, lives := b.runs[is.Run]
		_, person := b.people[is.Run]
		if err == nil && !lives && !person {
			_ = os.Remove(path)
		}
	}
	password = rand.Text()
	b.runs[run] = guest{cluster, password}
	return password
}

func (b *backend) leave(run string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.runs, run)
}

// names says whether a text can be part of a path without leading elsewhere.
func names(text string) bool { return text != "" && text != "." && text != ".." }

// who is whose call this is; false: they may not make it.
func (b *backend) who(r *http.Request) (string, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	name, password, _ := r.BasicAuth()
	want, ok := b.people[name]
	if g, runs := b.runs[name]; runs {
		want, ok = g.password, g.cluster == r.URL.Query().Get("cluster")
	}
	return name, ok && subtle.ConstantTimeCompare([]byte(password), []byte(want)) == 1
}

// ServeHTTP answers GET, POST, DELETE, LOCK and UNLOCK of one state.
func (b *backend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, may := b.who(r)
	cluster, project := r.URL.Query().Get("cluster"), r.URL.Query().Get("project")
	if !may || !names(cluster) || !names(project) {
		http.Error(w, "no rights here", http.StatusUnauthorized)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostState)) // a slow one holds up no other run
	if err != nil {
		http.Error(w, "the state cannot be read, or is too large", http.StatusRequestEntityTooLarge)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	path := b.path(cluster, project)
	if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
		err = b.answer(w, r, name, path, body)
	}
	if err != nil {
		http.Error(w, "the state backend failed", http.StatusInternalServerError)
		return
	}
}

// answer does what is asked of one state.
func (b *backend) answer(w http.ResponseWriter, r *http.Request, name, path string, body []byte) error {
	held, err := readLock(path + ".lock")
	locked := err == nil
	foreign := locked && held.id() != r.URL.Query().Get("ID")
	switch {
	case r.Method == http.MethodGet:
		return serve(w, path)
	case r.Method == "LOCK" && !locked && !json.Valid(body):
		http.Error(w, "the lock is no JSON", http.StatusBadRequest)
		return nil
	case r.Method == "LOCK" && !locked:
		return b.lock(path, lock{Run: name, Info: body})
	case r.Method == "UNLOCK" && (!locked || len(body) == 0 || (&lock{Info: body}).id() == held.id()):
		return gone(path + ".lock")
	case r.Method == "LOCK", r.Method == "UNLOCK", foreign:
		w.WriteHeader(http.StatusLocked)
		_, _ = w.Write(held.Info)
		return nil
	case r.Method == http.MethodPost:
		return wholefile.WriteBytes(path, body)
	case r.Method == http.MethodDelete:
		return gone(path)
	}
	w.WriteHeader(http.StatusMethodNotAllowed)
	return nil
}

// lock keeps who holds a state from now on.
func (*backend) lock(path string, l lock) error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return wholefile.WriteBytes(path+".lock", data)
}

func serve(w http.ResponseWriter, path string) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	if err == nil {
		_, _ = w.Write(data)
	}
	return err
}

func gone(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// holder says who holds the state of a project.
func (b *backend) holder(cluster, project string) string {
	held, err := readLock(b.path(cluster, project) + ".lock")
	if err != nil {
		return "a holder that has let go of it since"
	}
	var info struct{ Who, Created string }
	_ = json.Unmarshal(held.Info, &info)
	return fmt.Sprintf("%s (%s, since %s)", held.Run, info.Who, info.Created)
}

// path is the file of a state.
func (b *backend) path(cluster, project string) string {
	return filepath.Join(b.folder, url.PathEscape(cluster), url.PathEscape(project)+".tfstate")
}

func readLock(path string) (l lock, _ error) {
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &l)
	}
	return l, err
}

// id is the lock's own ID.
func (l *lock) id() string {
	var info struct{ ID string }
	_ = json.Unmarshal(l.Info, &info)
	return info.ID
}
