package web_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/faces/api"
)

// slow is an Authenticator that knows some tokens at once, and asks elsewhere about those that begin with slow. One
// question about each is answered; to a later one no answer comes.
type slow struct {
	*api.Tokens
	mu    sync.Mutex
	asked map[string]int
	never chan struct{}
}

func (s *slow) Identify(r *http.Request) (api.Identity, error) {
	bearer := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !strings.HasPrefix(bearer, "slow") {
		return s.Tokens.Identify(r)
	}
	s.mu.Lock()
	s.asked[bearer]++
	again := s.asked[bearer] > 1
	s.mu.Unlock()
	if again {
		<-s.never
	}
	return api.Identity{}, errors.New("nothing is known of it")
}

// A caller who shows tokens that are looked up elsewhere keeps no reader from their pages, however long that takes.
func TestWhoIsUnknownHasNoPlace(t *testing.T) {
	const token = "known-0123456789abcdefghij"
	sum := sha256.Sum256([]byte(token))
	tokens, err := api.ParseTokens(strings.NewReader("- {token_sha256: " + hex.EncodeToString(sum[:]) + ", user: ada}\n"))
	must(t, err)
	auth := &slow{Tokens: tokens, asked: map[string]int{}, never: make(chan struct{})}
	h := open(t, auth).furnish()
	t.Cleanup(func() { close(auth.never) })
	get := func(token string) (int, error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.server.URL+"/queue", nil)
		must(t, err)
		r.AddCookie(&http.Cookie{Name: "muster_token", Value: token})
		answer, err := (&http.Client{Timeout: 20 * time.Second}).Do(r)
		if err != nil {
			return 0, err
		}
		return answer.StatusCode, answer.Body.Close()
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if code, err := get(fmt.Sprintf("slow-%d", i)); code != http.StatusUnauthorized {
				t.Errorf("who is unknown is answered with %d (%v)", code, err)
			}
		})
	}
	all.Wait()
	if code, err := get(token); code != http.StatusOK {
		t.Errorf("a reader who signed in is answered with %d (%v)", code, err)
	}
}
