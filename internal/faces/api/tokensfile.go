package api

import (
	"context"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"
)

// TokensFile is an Authenticator of a tokens file that is read again when it changes, so
// that a user who is taken out of it is refused soon.
type TokensFile struct {
	path string
	log  *slog.Logger
	now  func() time.Time

	mu     sync.Mutex
	tokens *Tokens
	is     fs.FileInfo // of the file as it was read
	looked time.Time
	fault  error     // why the file cannot be read as it is now, which was said; nil: it can
	since  time.Time // when that began
}

// fileEvery is how often the file is looked at, at most.
const fileEvery = 2 * time.Second

// OpenTokensFile reads a tokens file, and keeps reading it.
func OpenTokensFile(path string, log *slog.Logger) (*TokensFile, error) {
	t := &TokensFile{path: path, log: log, now: time.Now}
	if t.log == nil {
		t.log = slog.New(slog.DiscardHandler)
	}
	t.is, _ = os.Stat(path) // before it is read, so that a change meanwhile shows
	var err error
	t.tokens, err = ReadTokensFile(path)
	t.looked = t.now()
	return t, err
}

// list is the tokens as the file has them now. While it cannot be read, those of before stay
// good: a slip of the pen does not lock everybody out.
func (t *TokensFile) list() *Tokens {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := t.now(); now.Sub(t.looked) >= fileEvery {
		t.looked = now
		t.again()
	}
	return t.tokens
}

func (t *TokensFile) again() {
	is, err := os.Stat(t.path)
	if err == nil && t.is != nil && os.SameFile(is, t.is) && is.ModTime().Equal(t.is.ModTime()) && is.Size() == t.is.Size() {
		return
	}
	tokens, err := ReadTokensFile(t.path)
	if err != nil {
		t.faulty(err)
		return
	}
	if t.fault != nil {
		t.log.Warn("the tokens file can be read again", "tokens", len(tokens.tokens), "unread since", t.since.UTC().Format(time.RFC3339))
	} else {
		t.log.Info("the tokens file was read again", "tokens", len(tokens.tokens))
	}
	t.tokens, t.is, t.fault = tokens, is, nil
}

// faulty notes why the file cannot be read, and says so where it was not said last.
func (t *TokensFile) faulty(err error) {
	if t.fault == nil {
		t.since = t.looked
	}
	if t.fault == nil || t.fault.Error() != err.Error() {
		t.log.Error("the tokens file cannot be read; the tokens of before stay good until it can", "error", err)
	}
	t.fault = err
}

// Watch looks at the file until ctx ends, so that a mistake in it is said while its writer is there, also where no caller comes.
func (t *TokensFile) Watch(ctx context.Context) error {
	beat := time.NewTicker(fileEvery)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-beat.C:
			t.LookNow() // a beat may come a little early
			t.list()
		}
	}
}

// Unread says why the file cannot be read as it is now, and since when; nil: it can.
func (t *TokensFile) Unread() (since time.Time, fault error) {
	t.list()
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.since, t.fault
}

// Identify finds the user of the token that the request bears.
func (t *TokensFile) Identify(r *http.Request) (Identity, error) { return t.list().Identify(r) }

// Find is a user of the list.
func (t *TokensFile) Find(user string) (Identity, bool) { return t.list().Find(user) }

// LookNow has the file looked at by who asks next, however shortly before it was.
func (t *TokensFile) LookNow() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.looked = time.Time{}
}
