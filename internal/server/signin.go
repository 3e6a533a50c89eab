package server

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/muster-fleet/muster/internal/faces/cli"
	"github.com/muster-fleet/muster/internal/faces/signin"
	"github.com/muster-fleet/muster/internal/faces/web"
)

// The files of sessions in the data folder.
const (
	sessionKeyFile    = "session.key"    // with which they are sealed
	sessionsEndedFile = "sessions.ended" // which were ended before their time
)

// sessionOptions say how readers of the pages sign in at the provider.
type sessionOptions struct {
	SecretFile string // that holds what the provider gave this server; "": nothing
	URL        string // as which readers reach this server; "": as their requests say
	KeyFile    string // of sessions; "": the server's own
	signin.Limits
}

// sessionFlags are those of sign-ins by the pages.
func sessionFlags(f *pflag.FlagSet, o *upOptions) {
	f.StringVar(&o.Session.SecretFile, "oidc-client-secret", "", "file of the secret by which the provider knows this server, where it gave one")
	f.StringVar(&o.Session.URL, "url", "", "https:// address at which people reach the pages, where a proxy changes it; the provider sends them back to it")
	f.StringVar(&o.Session.KeyFile, "session-key", "", "file of 32 random bytes that seal sessions of the pages; the same for servers on one --journal, whose shared files it seals, too; without it the server makes its own")
	f.StringToStringVar(&o.TokenReview, "token-review", nil, "CLUSTER=KUBECONFIG (or in-cluster): workloads of the cluster show tokens of their service accounts, made for the audience muster/CLUSTER")
	f.DurationVar(&o.Session.Idle, "session-idle", 2*time.Hour, "a session of the pages ends after so long without anything that its reader does")
	f.DurationVar(&o.Session.Confirm, "session-confirm", 8*time.Second, "how often the provider is asked whether an active reader is still one of its users; one whom it removed is signed out within that time")
	f.DurationVar(&o.Session.Whole, "session-lasts", 12*time.Hour, "a session of the pages ends after so long at the latest")
}

// checkIssuer refuses a provider whose keys another machine on the way could replace: with
// them it could make anybody's ID token.
func checkIssuer(issuer string) error {
	u, err := url.Parse(issuer)
	if issuer == "" || err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http" && cli.Loopback(u.Hostname())) {
		return nil
	}
	return cli.Usage("--oidc-issuer %.200q; write https://HOST/PATH, as the provider names itself (http only for one on this machine)", issuer)
}

// leastSession is how long a session lasts at least.
const leastSession = time.Minute

// checkSessions refuses what no reader could sign in with.
func checkSessions(o upOptions) error {
	if at, err := url.Parse(o.Session.URL); o.Session.URL != "" && (err != nil || at.Scheme != "https" && at.Scheme != "http" || at.Host == "" || strings.Trim(at.Path, "/") != "" || at.RawQuery != "") {
		return cli.Usage("--url %.200q; write https://HOST, without a path", o.Session.URL)
	}
	if o.Session.Idle < leastSession || o.Session.Whole < o.Session.Idle {
		return cli.Usage("--session-idle %v and --session-lasts %v; the first is %v at least, and the second no less than the first", o.Session.Idle, o.Session.Whole, leastSession)
	}
	if o.Session.Confirm < time.Second {
		return cli.Usage("--session-confirm %v; the provider is asked every second at most", o.Session.Confirm)
	}
	return nil
}

// openSessions makes what lets readers of the pages in by the provider.
func (s *server) openSessions() error {
	path, own := s.Session.KeyFile, s.Session.KeyFile == ""
	if own {
		path = s.folder.File(sessionKeyFile)
	}
	seal, err := signin.OpenSeal(path, own)
	if err != nil {
		return cli.Malformed(err)
	}
	secret, err := providerSecret(s.Session.SecretFile)
	if err != nil {
		return cli.Malformed(err)
	}
	if s.sessions, err = signin.NewSessions(seal, s.oidc, s.Session.Limits, s.folder.File(sessionsEndedFile), nil); err != nil {
		return cli.Malformed(err)
	}
	s.signin = signin.New(signin.Options{
		Provider: s.oidc, Sessions: s.sessions, Secret: secret, URL: s.Session.URL, Log: s.log, Note: s.audit.Note,
		Refuse: func(w http.ResponseWriter, r *http.Request, status int, why string) { s.web.Refuse(w, r, status, why) },
	})
	return nil
}

// maxSecret bounds a secret, in bytes.
const maxSecret = 4 << 10

// providerSecret reads a secret from a file; "" where there is none.
func providerSecret(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("secret of the provider: %w", err)
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxSecret))
	if secret := strings.TrimSpace(string(data)); err == nil && secret != "" {
		return secret, nil
	}
	return "", fmt.Errorf("secret of the provider: %s has none in it", path)
}

// openPages makes the pages, behind the middleware of sign-ins where there is one.
func (s *server) openPages() {
	o := web.Options{API: s.api.Handler(), Watch: s.engine.Watch, Last: s.engine.Durable, Log: s.log, Version: version()}
	if s.signin != nil {
		o.Login = signin.LoginPath
	}
	s.web = web.New(o)
	s.pages = s.web
	if s.signin != nil {
		s.pages = s.signin.Handler(s.web)
	}
}
