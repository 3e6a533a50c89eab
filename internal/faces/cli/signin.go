package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

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
	return a.writeSignIn(kept{Server: a.baseURL(), Issuer: w.Issuer, ClientID: w.ClientID, TokenURL: tokenURL, IDToken: id, Refresh: t.RefreshToken, Until: t.Expiry})
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
	err := os.Remove(a.signInFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// early is how long before its end a sign-in is renewed.
const early = time.Minute

// ownSignIn is the token of the sign-in at this server, renewed if need be; "": there is none.
func (a *app) ownSignIn() string {
	data, err := os.ReadFile(a.signInFile())
	var k kept
	if err != nil || json.Unmarshal(data, &k) != nil || k.Server != a.baseURL() {
		return ""
	}
	if k.Refresh == "" || k.Until.IsZero() || time.Until(k.Until) > early {
		return k.IDToken
	}
	ctx, end := context.WithTimeout(context.Background(), 10*time.Second)
	defer end()
	c := &oauth2.Config{ClientID: k.ClientID, Endpoint: oauth2.Endpoint{TokenURL: k.TokenURL}}
	t, err := c.TokenSource(ctx, &oauth2.Token{RefreshToken: k.Refresh}).Token()
	if err != nil {
		return k.IDToken // the server says that it ended
	}
	if id, ok := t.Extra("id_token").(string); ok {
		k.IDToken, k.Until = id, t.Expiry
	}
	if t.RefreshToken != "" {
		k.Refresh = t.RefreshToken
	}
	_ = a.writeSignIn(k) // if it cannot be kept, the next command renews again
	return k.IDToken
}
