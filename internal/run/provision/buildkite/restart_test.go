package buildkite_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/muster-fleet/muster/internal/run/provision/buildkite"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// site is a service that can be killed, and comes back at the same address with its builds.
type site struct {
	*service
	t       *testing.T
	address string
	server  *httptest.Server
}

func (s *site) up() {
	listener, err := (&net.ListenConfig{}).Listen(s.t.Context(), "tcp", s.address)
	if err != nil {
		s.t.Fatal(err)
	}
	s.address = listener.Addr().String()
	s.server = &httptest.Server{Listener: listener, Config: &http.Server{Handler: s.service, ReadHeaderTimeout: 0}}
	s.server.Start()
}

func (s *site) down() {
	if s.server != nil {
		s.server.CloseClientConnections()
		s.server.Close()
		s.server = nil
	}
}

// trouble is what the service answers to the next call instead of what it should.
func (s *site) trouble(draw *rand.Rand) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before, s.lose = nil, false
	code := 0
	switch draw.IntN(6) {
	case 0:
		code = http.StatusTooManyRequests
	case 1:
		code = http.StatusInternalServerError
	case 2:
		code = http.StatusBadGateway
	case 3:
		s.lose = true
	}
	if code == 0 {
		return
	}
	s.before = func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(code)
		fmt.Fprint(w, "<html>not now</html>")
		return true
	}
}

// Whatever the service answers, and however often it is killed and comes back: an operation
// that is looked for before it is begun has one build, and its end is seen.
func TestARestartedServiceHoldsOneBuild(t *testing.T) {
	for seed := range uint64(60) {
		draw := rand.New(rand.NewPCG(seed, 4))
		s := &site{service: &service{}, t: t, address: "127.0.0.1:0"}
		s.up()
		p := &buildkite.Pipeline{Token: token, Address: "http://" + s.address, HTTP: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
		for range 30 {
			if draw.IntN(5) == 0 {
				s.down()
			} else if s.server == nil {
				s.up()
			}
			s.trouble(draw)
			if _, found, err := p.Find(t.Context(), order()); err == nil && !found {
				_, _ = p.Begin(t.Context(), order())
			}
		}
		s.down()
		s.before, s.lose = nil, false
		s.up()
		if len(s.builds) == 0 {
			_, _ = p.Begin(t.Context(), order())
		}
		s.set("passed", nil)
		is, found, err := p.Find(t.Context(), order())
		if len(s.builds) != 1 || !found || err != nil || is.State != fleet.OperationSucceeded {
			t.Errorf("seed %d: %d builds, %+v, found %v, %v", seed, len(s.builds), is, found, err)
		}
		s.down()
	}
}
