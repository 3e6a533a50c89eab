package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/answer/retain"
	"github.com/muster-fleet/muster/internal/clusters/kube/tokenreview"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/faces/cli"
	"github.com/muster-fleet/muster/internal/run/audit"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/server/datafolder"
)

// askProvider bounds one question to the provider.
const askProvider = 10 * time.Second

// peopleSignIn says whether people sign in here, with a token or at a provider. Else they are the user that runs
// the server.
func (s *server) peopleSignIn() bool { return s.people != nil || s.oidc != nil }

// openAuth says how callers prove who they are. Service accounts always may; people by a
// tokens file, or, where there is none, by being the user that runs the server.
func (s *server) openAuth() error {
	s.tokens = api.NewServiceTokens(s.engine.Peek, nil)
	list := api.SignIns{api.NewSocketUser(), s.tokens}
	if s.OIDC.Issuer != "" {
		asks, err := cli.ProviderClient(s.OIDCCA, askProvider)
		if err != nil {
			return cli.Malformed(err)
		}
		s.OIDC.Log, s.OIDC.Client = s.log, asks
		s.oidc = api.NewOIDC(s.OIDC)
		if err := s.openSessions(); err != nil {
			return err
		}
		go s.oidc.Greet() // it ends by itself: each question to the provider has an end
		list = append(list, s.sessions, s.oidc)
	}
	if len(s.TokenReview) > 0 {
		workloads, err := s.workloads()
		if err != nil {
			return cli.Malformed(err)
		}
		list = append(list[:2:2], append(api.SignIns{workloads}, list[2:]...)...) // before those that take every token of three parts for theirs
	}
	if s.people != nil {
		list = append(list, s.people)
	}
	if s.peopleSignIn() {
		s.auth = list
		return nil
	}
	local, err := s.local()
	s.auth = slices.Concat(list, api.SignIns{local})
	return err
}

// workloads is the Authenticator of workloads of the clusters that review tokens.
func (s *server) workloads() (api.Authenticator, error) {
	clusters := map[string]api.Reviewer{}
	for name, kubeconfig := range s.TokenReview {
		c, err := tokenreview.Open(kubeconfig)
		if err != nil {
			return nil, fmt.Errorf("--token-review %.100s: %w", name, err)
		}
		clusters[name] = c
	}
	return api.NewKubeTokens(clusters, nil), nil
}

// rest answers what is no API: where people sign in, and the pages.
func (s *server) rest(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == api.SignInPath && s.oidc != nil {
		s.oidc.Tell(w, r)
		return
	}
	s.pages.ServeHTTP(w, r)
}

// local is the server's own user. Beside what the system says of connections there is a
// token in a file, for systems that say nothing.
func (s *server) local() (*api.Local, error) {
	if s.LocalDir == "" {
		return api.NewLocal()
	}
	return api.NewLocalToken(filepath.Join(s.LocalDir, cli.LocalTokenName(s.listener.Addr().String())))
}

// maxSocketPath is how long the path of a socket may be on every system.
const maxSocketPath = 100

// openSocket opens the socket in the data folder, by which the server's own user is an
// operator whatever else is configured. A folder where none can be made has none.
func (s *server) openSocket(ctx context.Context) error {
	path := s.folder.File(datafolder.Socket)
	if len(path) > maxSocketPath {
		return nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a server that was killed: the folder is ours
		return fmt.Errorf("socket %s: %w", path, err)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "unix", path)
	if err != nil {
		s.log.Warn("there is no socket for this machine's own use", "path", path, "error", err)
		return nil
	}
	if err := os.Chmod(path, 0o600); err != nil {
		_ = l.Close()
		return fmt.Errorf("socket %s: %w", path, err)
	}
	s.socket = l
	return nil
}

func (s *server) serveSocket(ctx context.Context) error {
	if s.socket == nil {
		return nil
	}
	err := s.api.Serve(ctx, s.socket)
	s.socket = nil
	return err
}

// record is the audit log, and the journal that it proves.
type record struct {
	*audit.Log
	journal journal.Journal
}

// Verify proves the log, and the journal by it.
func (r record) Verify(ctx context.Context) (audit.Proof, error) {
	start, err := r.start(ctx)
	if err != nil {
		return audit.Proof{}, err
	}
	return r.Prove(start, func(fn func(uint64, int64, []byte) error) error {
		return r.journal.Read(ctx, start.Version+1, func(e journal.Entry) error { return fn(e.Seq, e.At, e.Data) })
	})
}

// start is where the records of the journal begin that the log is to prove.
func (r record) start(ctx context.Context) (is audit.Start, err error) {
	base, err := r.journal.Base(ctx)
	if err != nil || base.Seq == 0 {
		return is, err
	}
	_, parts, err := engine.ReadBase(base)
	is = audit.Start{Version: base.Seq, Unknown: copy(is.Chain[:], parts[retain.Chain]) < len(is.Chain)}
	copy(is.Chain[:], parts[retain.Chain])
	return is, err
}

// How often the audit log is made durable, and names the journal.
const (
	auditEvery = time.Second
	headEvery  = time.Minute
)

// keepRecord makes the audit log durable, and has it name the journal now and then, until
// ctx ends. If it cannot, the fleet goes on, and the log of the server says so.
func (s *server) keepRecord(ctx context.Context) error {
	beat, head := time.NewTicker(auditEvery), time.NewTicker(headEvery)
	enrolled := enrolments{folder: s.folder.File(datafolder.Agents), note: s.audit.Note}
	defer beat.Stop()
	defer head.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case <-beat.C:
			enrolled.look()
			err = s.audit.Flush()
		case <-head.C:
			err = s.audit.head(ctx)
		}
		if err != nil && ctx.Err() == nil {
			s.log.Error("the audit log is not kept as it should be", "error", err)
		}
	}
}

// watchPeople has the tokens file looked at where no caller comes, too.
func (s *server) watchPeople(ctx context.Context) error {
	if file, is := s.people.(*api.TokensFile); is {
		return file.Watch(ctx)
	}
	return nil
}

// noteCut notes that the journal ends earlier than it did, and is meant to.
func (s *server) noteCut() {
	if s.salvaged != nil {
		s.audit.Note(audit.Entry{Kind: audit.Cut, Version: s.salvaged.Good, Text: "cut back by --salvage"})
	}
	if _, _, had := s.audit.LastHead(); s.aside != "" {
		s.audit.Note(audit.Entry{Kind: audit.Cut, Text: "a new fleet begins; what was left of the journal is in " + s.aside})
	} else if s.NewFleet && had {
		s.audit.Note(audit.Entry{Kind: audit.Cut, Text: "a new fleet begins; nothing was left of the journal"})
	}
}

// closeRecord names the journal a last time, and ends the log.
func (s *server) closeRecord(ctx context.Context) error {
	if err := s.audit.head(ctx); err != nil {
		s.log.Error("the audit log does not name the last records of the journal", "error", err)
	}
	return s.audit.Close()
}

// head notes what names all records of the journal that are durable by now.
func (r record) head(ctx context.Context) error {
	version, chain, known := r.LastHead()
	if last, _, err := r.journal.Last(ctx); err != nil || last == version {
		return err
	} else if last < version {
		return fmt.Errorf("the journal ends at version %d, and had version %d before: muster audit verify says more", last, version)
	}
	extend := func(e journal.Entry) error {
		version, chain = e.Seq, chain.Extend(e.Seq, e.At, e.Data)
		return nil
	}
	if !known {
		version, chain = 0, audit.Link{}
	}
	err := r.journal.Read(ctx, version+1, extend)
	if errors.As(err, new(*journal.TrimmedError)) {
		var start audit.Start
		if start, err = r.start(ctx); err == nil {
			version, chain = start.Version, start.Chain
			err = r.journal.Read(ctx, version+1, extend)
		}
	}
	if err != nil {
		return err
	}
	r.Note(audit.Entry{Kind: audit.Head, Version: version, Chain: chain.String()})
	return nil
}
