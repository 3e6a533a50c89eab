package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// What a server that follows says of its answers: how far its state may be behind.
const headerLag = "Muster-Lag"

// forward lets a server that follows send what changes something to the one that leads.
func (s *server) forward(own http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lag, follows := s.engine.Follows()
		switch {
		case follows && posted(r): // its signature is its proof: the leader looks at it
			s.toLeader(w, r)
		case !follows || changes(r) && !s.api.Forwardable(r): // a caller who is unknown here is refused here
			if s.leadership.May() != nil {
				w.Header().Set(headerRetry, "1") // another server leads in a moment
			}
			own.ServeHTTP(w, r)
		case !changes(r):
			w.Header().Set(headerLag, fmt.Sprintf("%dms", lag.Milliseconds()))
			own.ServeHTTP(w, r)
		default:
			s.toLeader(w, r)
		}
	})
}

// posted says whether a service outside posts something by itself. Only the server that leads can
// use it; while none does the service is asked to send it again.
func posted(r *http.Request) bool { return r.URL.Path == buildkiteHook && changes(r) }

// changes says whether a request may change something: all but questions do.
func changes(r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return false
	}
	name := strings.ReplaceAll(strings.TrimPrefix(r.URL.Path, "/"), "/", ".")
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(name))
	if err != nil {
		return true
	}
	o, ok := found.Options().(*descriptorpb.MethodOptions)
	return !ok || o.GetIdempotencyLevel() != descriptorpb.MethodOptions_NO_SIDE_EFFECTS
}

// toLeader sends a request on, and its answer back.
func (s *server) toLeader(w http.ResponseWriter, r *http.Request) {
	leader := s.leadership.Leader()
	if leader == nil || leader.Address == "" || leader.Address == s.leadership.Address() || r.Header.Get(headerForwarded) != "" {
		nobodyLeads(w, "no server leads now; try again in a moment")
		return
	}
	proxy := httputil.ReverseProxy{
		Rewrite:        onward(&url.URL{Scheme: s.scheme(), Host: leader.Address}, s.leadership.Holder()),
		Transport:      s.peers.of(r),
		FlushInterval:  -1,
		ModifyResponse: s.caughtUp,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			nobodyLeads(w, fmt.Sprintf("the server that leads (%s) does not answer: %v; try again in a moment", leader.Address, err))
		},
	}
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	go func() { // a leader that hangs is not waited for once this server leads
		select {
		case <-s.leadership.Leads():
			stop()
		case <-ctx.Done():
		}
	}()
	proxy.ServeHTTP(w, r.WithContext(ctx))
}

// proofs are the headers that say who sends a request, and for whom.
var proofs = []string{"Authorization", "Muster-Token", "Muster-As", "Muster-Proof", "Idempotency-Key", "Cookie", "Origin"}

// onward makes a request the same to the leader. A caller may name headers in Connection, which
// proxies then drop. Without its proof a request would be this server's own at the leader, where
// connections of this machine's user are an operator's.
func onward(to *url.URL, by string) func(*httputil.ProxyRequest) {
	return func(p *httputil.ProxyRequest) {
		p.SetURL(to)
		for _, name := range proofs {
			if is := p.In.Header.Values(name); len(is) > 0 {
				p.Out.Header[name] = is
			}
		}
		p.Out.Header["X-Forwarded-For"] = p.In.Header["X-Forwarded-For"] // the leader believes as much of it as it trusts
		p.SetXForwarded()
		p.Out.Header.Set(headerForwarded, by)
	}
}

// caughtUp lets an answer of the leader wait until this server has what the command wrote: who
// reads here next finds it. A leader that cannot decide now is replaced in a moment.
func (s *server) caughtUp(res *http.Response) error {
	if res.StatusCode == http.StatusServiceUnavailable {
		res.Header.Set(headerRetry, "1")
	}
	if res.StatusCode != http.StatusOK {
		return nil
	}
	ctx, stop := context.WithTimeout(res.Request.Context(), catchUp)
	defer stop()
	if last, _, err := s.journal.Last(ctx); err == nil {
		_ = s.engine.Await(ctx, last) // else the next read is older, and says so
	}
	return nil
}

// catchUp is how long the answer to a command waits for that at most.
const catchUp = time.Second

// headerRetry tells a client that the same call may be answered in a moment, in seconds.
const headerRetry = "Retry-After"

// scheme is how the servers speak with each other: as with their clients.
func (s *server) scheme() string {
	if s.TLSCert != "" {
		return "https"
	}
	return "http"
}

// headerForwarded keeps servers from sending a request to each other for ever.
const headerForwarded = "Muster-Forwarded-By"

// nobodyLeads refuses a request for now, so that clients send it again.
func nobodyLeads(w http.ResponseWriter, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set(headerRetry, "1")
	w.WriteHeader(http.StatusServiceUnavailable)
	_ = json.NewEncoder(w).Encode(map[string]string{"code": "unavailable", "message": why})
}
