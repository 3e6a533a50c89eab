package signin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/run/wholefile"
)

// sealedPrefix begins a session where it stands in the place of a token.
const sealedPrefix = "session."

// Sessions is the Authenticator of readers who signed in by the pages.
type Sessions struct {
	seal    *Seal
	purpose string // names the provider, too: sessions of another one do not open
	limits  Limits
	now     func() time.Time

	mu    sync.Mutex
	path  string               // of the file that remembers ended; "": none
	ended map[string]time.Time // sessions that ended before their time, and that time
}

// NewSessions is the Authenticator of sessions by one provider. It reads in a file which ones
// were ended; "": it forgets them with the process.
func NewSessions(seal *Seal, provider Provider, limits Limits, path string, now func() time.Time) (*Sessions, error) {
	issuer, client := provider.Names()
	s := &Sessions{seal: seal, purpose: "session\n" + issuer + "\n" + client, limits: limits, now: now, path: path, ended: map[string]time.Time{}}
	if now == nil {
		s.now = time.Now
	}
	data, err := os.ReadFile(path)
	switch {
	case path == "" || errors.Is(err, fs.ErrNotExist):
		return s, nil
	case err == nil:
		err = json.Unmarshal(data, &s.ended)
	}
	if err != nil {
		return nil, fmt.Errorf("ended sessions: %s: %w; without the file, sessions that were ended would go on: make another key, too, if you take it away", path, err)
	}
	return s, nil
}

// Identify knows a reader by the session, in the place of a token, where the middleware has let the page in.
func (s *Sessions) Identify(r *http.Request) (api.Identity, error) {
	sealed, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "+sealedPrefix)
	if !ok {
		return api.Identity{}, api.ErrNotMine
	}
	if r.Context().Value(admittedKey{}) == nil { // the provider was not asked whether its reader is still there
		return api.Identity{}, errPages
	}
	is, err := s.open(sealed)
	if err != nil {
		return api.Identity{}, err
	}
	return is.identity(), nil
}

// Find knows no users: what is known of them comes with their sessions.
func (s *Sessions) Find(string) (api.Identity, bool) { return api.Identity{}, false }

// open reads a session that is not over.
func (s *Sessions) open(sealed string) (is session, err error) {
	if s.seal.open(s.purpose, sealed, &is) != nil {
		return session{}, errForeign
	}
	if err := s.limits.over(is, s.now()); err != nil {
		return session{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ended := s.ended[is.ID]; ended {
		return session{}, errEnded
	}
	return is, nil
}

func (s *Sessions) close(is session) (string, error) { return s.seal.close(s.purpose, is) }

// end ends a session, also for copies of its cookie. The error is about
// remembering it beyond the end of the process.
func (s *Sessions) end(is session) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	maps.DeleteFunc(s.ended, func(_ string, until time.Time) bool { return now.After(until) })
	s.ended[is.ID] = is.Began.Add(s.limits.Whole)
	if s.path == "" {
		return nil
	}
	data, err := json.Marshal(s.ended)
	if err != nil {
		return err
	}
	return wholefile.WriteBytes(s.path, data)
}
