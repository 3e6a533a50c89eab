package cli

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"time"

	"connectrpc.com/connect"
	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/spf13/cobra"
	"golang.org/x/oauth2"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// loginOptions are those of `muster login`.
type loginOptions struct {
	*app
	device bool
	ca     string // file of the provider's authority; "": the machine's are enough
}

func newLogin(a *app) *cobra.Command {
	o := &loginOptions{app: a}
	cmd := &cobra.Command{
		Use:   "login",
		Short: "sign in at the provider of this server, in a browser",
		Long: `Login asks the server which OpenID Connect provider its people sign in at, and opens a way in by a
browser: one on this machine (authorization code with PKCE), or with --device one anywhere, where a code
is typed. The token is kept in a file that you alone can read, is shown to this server alone, and is
renewed by itself. muster logout forgets it. A provider whose certificate your own authority signed is believed
with --oidc-ca; renewals read the same file.`,
		Example: "  muster login --server https://muster.example.com\n  muster login --device\n  muster login --oidc-ca /etc/ssl/house.pem",
		Args:    needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context())
		},
	}
	OIDCAFlag(cmd.Flags(), &o.ca)
	cmd.Flags().BoolVar(&o.device, "device", false, "print a code that is typed in a browser on any machine")
	return cmd
}

func newLogout(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "logout", Short: "forget the sign-in at this server",
		Example: "  muster logout",
		Args:    needs(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			if err := a.forgetSignIn(); err != nil {
				return err
			}
			_, err := fmt.Fprintln(a.Out, "signed out of", a.server)
			return err
		},
	}
}

// signInPatience is how long a person has to sign in.
const signInPatience = 10 * time.Minute

func (o *loginOptions) run(ctx context.Context) error {
	ctx, end := context.WithTimeout(ctx, signInPatience)
	defer end()
	if at := client.InClear(o.server); at != "" && !PlainHTTP(o.Getenv) {
		return &client.TokenInClear{Address: at}
	}
	where, err := o.whereToSignIn(ctx)
	if err != nil {
		return err
	}
	if where.ca, err = wholePath(o.ca); err != nil {
		return err
	}
	by, err := ProviderClient(where.ca, signInPatience)
	if err != nil {
		return err
	}
	asking := oidc.ClientContext(ctx, by)
	provider, err := oidc.NewProvider(asking, where.Issuer)
	if err != nil {
		return where.unreached(err)
	}
	c := where.config(provider.Endpoint())
	way := o.byBrowser
	if o.device {
		way = o.byCode
	}
	token, err := way(asking, c)
	if err != nil {
		return fmt.Errorf("sign in at %s: %w", where.Issuer, err)
	}
	id, ok := token.Extra("id_token").(string)
	if !ok {
		return fmt.Errorf("sign in at %s: the provider gave no ID token", where.Issuer)
	}
	if err := o.keepSignIn(where, c.Endpoint.TokenURL, token); err != nil {
		return err
	}
	return o.greeted(ctx, where, id)
}

// greeted says as whom the server knows who signed in. A sign-in that it refuses is none.
func (o *loginOptions) greeted(ctx context.Context, where signInAt, idToken string) error {
	c := client.New(client.Options{Address: o.server, Token: idToken, HTTPClient: o.HTTP, PlainHTTP: PlainHTTP(o.Getenv)})
	s, err := c.System.Status(ctx, &musterv1.StatusRequest{WithoutWorkloads: true})
	if connect.CodeOf(err) == connect.CodeUnauthenticated {
		refused := fmt.Errorf("%s does not take the sign-in at %s: %s", o.server, where.Issuer, explain(err))
		return errors.Join(connect.NewError(connect.CodeUnauthenticated, refused), o.forgetSignIn())
	}
	as := ""
	if err == nil {
		as = " as " + s.GetActor()
	}
	_, err = fmt.Fprintf(o.Out, "signed in%s at %s for %s\n", as, where.Issuer, o.server)
	if err == nil && (o.token != "" || o.Getenv(tokenEnv) != "") {
		_, err = fmt.Fprintf(o.Err, "A token is given (--token, or %s): it is shown in place of this sign-in.\n", tokenEnv)
	}
	return err
}

// signInAt is where people of a server sign in, as the server says.
type signInAt struct {
	Issuer   string   `json:"issuer"`
	ClientID string   `json:"client_id"`
	Scopes   []string `json:"scopes"` // those of its scopes that serve; an older server names none
	ca       string   // whole path of the file of its authority; "": none was named
}

// unreached says that the provider cannot be reached, and what to do where its certificate is in the way.
func (w signInAt) unreached(err error) error {
	if w.ca == "" && errors.As(err, new(*tls.CertificateVerificationError)) {
		return fmt.Errorf("the sign-in provider %s cannot be reached: %w; if your own authority signed its certificate, name that with --oidc-ca FILE", w.Issuer, err)
	}
	return fmt.Errorf("the sign-in provider %s cannot be reached: %w", w.Issuer, err)
}

// wholePath is a file's path from wherever a later command runs; "" stays.
func wholePath(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	return filepath.Abs(file)
}

func (w signInAt) config(at oauth2.Endpoint) *oauth2.Config {
	if len(w.Scopes) == 0 {
		w.Scopes = []string{oidc.ScopeOpenID, "email", "profile", "groups", oidc.ScopeOfflineAccess}
	}
	at.AuthStyle = oauth2.AuthStyleInParams // it has no secret to show first, and a code serves once
	return &oauth2.Config{ClientID: w.ClientID, Endpoint: at, Scopes: w.Scopes}
}

// mostSaid bounds what a server says of its provider, in bytes.
const mostSaid = 64 << 10

func (o *loginOptions) whereToSignIn(ctx context.Context) (w signInAt, err error) {
	var res *http.Response
	for _, at := range o.baseURLs() {
		r, wrong := http.NewRequestWithContext(ctx, http.MethodGet, at+"/sign-in.json", nil)
		if wrong != nil {
			return w, usage("--server %.200q: %v", o.server, wrong)
		}
		if res, err = http.DefaultClient.Do(r); err == nil {
			break
		}
	}
	if err != nil {
		return w, fmt.Errorf("ask %s where to sign in: %w", o.server, err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(res.Body, mostSaid)).Decode(&w) != nil || w.Issuer == "" {
		return w, fmt.Errorf("%s has no provider where people sign in (muster up --oidc-issuer); show a token instead (--token)", o.server)
	}
	u, err := url.Parse(w.Issuer)
	if err != nil || u.Scheme != "https" && !Loopback(u.Hostname()) {
		return w, fmt.Errorf("%s names the provider %.200q, which is not reached by https", o.server, w.Issuer)
	}
	return w, nil
}

// Loopback says whether a host is this machine.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// baseURL is the URL of the server that is named first.
func (a *app) baseURL() string { return a.baseURLs()[0] }

// baseURLs are the URLs of the servers that are named.
func (a *app) baseURLs() []string {
	if list := client.URLs(a.server); len(list) > 0 {
		return list
	}
	return []string{a.server} // commas alone: a call says that it is no address
}

// byCode has a person type a code in a browser anywhere.
func (o *loginOptions) byCode(ctx context.Context, c *oauth2.Config) (*oauth2.Token, error) {
	if c.Endpoint.DeviceAuthURL == "" {
		return nil, errors.New("the provider has no device codes; leave out --device")
	}
	code, err := c.DeviceAuth(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(o.Err, "Open %s and type %s\n", clean(code.VerificationURI), clean(code.UserCode)); err != nil {
		return nil, err
	}
	return c.DeviceAccessToken(ctx, code)
}

// sayWhole has sent all of text when it returns: what asked for the code may end this process at once after.
func sayWhole(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.Header().Set("Connection", "close")
	_, _ = io.WriteString(w, text)
	_ = http.NewResponseController(w).Flush()
}

// byBrowser listens on loopback for the browser to come back with a code, which only this
// process can exchange.
func (o *loginOptions) byBrowser(ctx context.Context, c *oauth2.Config) (*oauth2.Token, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	c.RedirectURL = "http://" + l.Addr().String() + "/callback"
	state, verifier := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	back := make(chan url.Values, 1)
	s := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if r.URL.Path != "/callback" || q.Get("state") != state {
			http.NotFound(w, r)
			return
		}
		sayWhole(w, "You can close this window, and go back to the command line.\n")
		select {
		case back <- q:
		default: // a second answer changes nothing
		}
	})}
	go func() { _ = s.Serve(l) }() // it ends with Close
	defer func() { _ = s.Close() }()
	_, _ = fmt.Fprintf(o.Err, "Open this in your browser:\n\n%s\n\n", c.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)))
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case q := <-back:
		if q.Get("code") == "" {
			return nil, fmt.Errorf("the provider refused: %.200s", clean(q.Get("error")+" "+q.Get("error_description")))
		}
		return c.Exchange(ctx, q.Get("code"), oauth2.VerifierOption(verifier))
	}
}
