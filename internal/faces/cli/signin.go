package cli

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/muster-fleet/muster/internal/run/wholefile"
)

// kept is a sign-in as its file has it. It is shown to the server that it was made for.
type kept struct {
	Server   string    `json:"server"`
	Issuer   string    `json:"issuer"`
	ClientID string    `json:"client_id"`
	TokenURL string    `json:"token_url"`
	IDToken  string    `json:"id_token"`
	Refresh  string    `json:"refresh_token,omitempty"`
	CA       string    `json:"ca,omitempty"` // file of the provider's authority
	Until    time.Time `json:"until"`
}

// signInFile is the file of the sign-in at this server; "" where nothing says where it is.
func (a *app) signInFile() string {
	dir := LocalDir(a.Getenv)
	if dir == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(dir), "sign-in", LocalTokenName(a.baseURL()))
}

func (a *app) keepSignIn(w signInAt, tokenURL string, t *oauth2.Token) error {
	id, _ := t.Extra("id_token").(string)
	return a.writeSignIn(kept{Server: a.baseURL(), Issuer: w.Issuer, ClientID: w.ClientID, TokenURL: tokenURL, IDToken: id, Refresh: t.RefreshToken, CA: w.ca, Until: endOf(id, t.Expiry)})
}

func (a *app) writeSignIn(k kept) error {
	path := a.signInFile()
	if path == "" {
		return usage("neither XDG_STATE_HOME nor HOME says where to keep the sign-in")
	}
	data, err := json.Marshal(k)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = wholefile.WriteBytes(path, data)
	}
	if err != nil {
		return fmt.Errorf("keep the sign-in: %w", err)
	}
	return nil
}

func (a *app) forgetSignIn() error {
	free, err := wholefile.Alone(a.signInFile() + ".lock")
	if err != nil {
		free = func() {} // there is no such folder, or another's: the file says more
	}
	defer free() // a renewal beside it would bring the sign-in back
	err = os.Remove(a.signInFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// How long before its end a sign-in is renewed, and how long the provider may take for it.
const (
	early         = time.Minute
	renewPatience = 10 * time.Second
)

// ownSignIn is the token of the sign-in at this server, renewed if need be; "": there is none.
func (a *app) ownSignIn() string {
	k, ok := a.readSignIn()
	if !ok || !k.ends() {
		return k.IDToken
	}
	free, err := wholefile.Alone(a.signInFile() + ".lock")
	if err != nil {
		return k.IDToken // renewed without the others' knowledge, all of them could be signed out
	}
	defer free()
	if k, ok = a.readSignIn(); ok && k.ends() { // no other command has renewed it meanwhile
		k = a.renew(k)
	}
	return k.IDToken
}

// readSignIn reads the sign-in at this server; ok is false where there is none.
func (a *app) readSignIn() (k kept, ok bool) {
	data, err := os.ReadFile(a.signInFile())
	if err != nil || json.Unmarshal(data, &k) != nil || k.Server != a.baseURL() {
		return kept{}, false
	}
	return k, true
}

// ends says whether a sign-in is to be renewed now, and can be.
func (k kept) ends() bool {
	return k.Refresh != "" && !k.Until.IsZero() && time.Until(k.Until) <= early
}

// renew has the provider give another token. What it is asked with may serve only once, and
// asked twice a provider may end the whole sign-in: the caller is alone.
func (a *app) renew(k kept) kept {
	ctx, end := context.WithTimeout(context.Background(), renewPatience)
	defer end()
	c := &oauth2.Config{ClientID: k.ClientID, Endpoint: oauth2.Endpoint{TokenURL: k.TokenURL, AuthStyle: oauth2.AuthStyleInParams}}
	by, err := ProviderClient(k.CA, renewPatience)
	if err != nil {
		return k
	}
	t, err := c.TokenSource(oidc.ClientContext(ctx, by), &oauth2.Token{RefreshToken: k.Refresh}).Token()
	if err != nil {
		return k // the server says that it ended
	}
	if id, ok := t.Extra("id_token").(string); ok {
		k.IDToken, k.Until = id, endOf(id, t.Expiry)
	}
	if t.RefreshToken != "" {
		k.Refresh = t.RefreshToken
	}
	_ = a.writeSignIn(k) // if it cannot be kept, the next command renews again
	return k
}

// endOf is when an ID token ends. A token that does not say it ends with what came with it.
func endOf(idToken string, otherwise time.Time) time.Time {
	var claims struct {
		Exp int64 `json:"exp"`
	}
	parts := strings.Split(idToken, ".")
	if len(parts) != 3 { //nolint:mnd // header, claims, signature
		return otherwise
	}
	data, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(data, &claims) != nil || claims.Exp <= 0 {
		return otherwise
	}
	return time.Unix(claims.Exp, 0)
}
