package siege

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// fort is a server under siege.
type fort struct {
	address string
	process *exec.Cmd
	said    bytes.Buffer
}

// The names that have tokens beside the people's and the programs'.
const (
	operator = "ops"
	hostile  = "mallory"
)

func person(i int) string  { return fmt.Sprintf("reader%d", i) }
func program(i int) string { return fmt.Sprintf("team%d", i) }

// tokenOf is the token of a name.
func tokenOf(name string) string { return "siege-token-" + name + "-0123456789abcdef" }

// The fleet: a thousand nodes, and quotas to look at.
const fleet = `policy: {buffer: {share: 0.02}}
clusters:
  - name: tiger
    partitions:
      - gpu: h200
        islands: [{name: i1, nodes: 250}, {name: i2, nodes: 250}, {name: i3, nodes: 250}, {name: i4, nodes: 250}]
quotas:
  - {path: research/oak, grants: [{partition: tiger/h200, gpus: 1600}], access: {groups: [everybody]}}
  - {path: research/birch, grants: [{partition: tiger/h200, gpus: 1600}], access: {groups: [everybody]}}
  - {path: product, grants: [{partition: tiger/h200, gpus: 1600}]}
`

// raise starts a server, and returns once it answers.
func raise(ctx context.Context, o Options, dir string) (*fort, error) {
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	f := &fort{address: address}
	names := []string{operator, hostile}
	for i := range o.People {
		names = append(names, person(i))
	}
	for i := range o.Submitters {
		names = append(names, program(i))
	}
	tokens, plan := filepath.Join(dir, "tokens.yaml"), filepath.Join(dir, "fleet.yaml")
	if err := os.WriteFile(tokens, []byte(tokensFile(names)), 0o600); err != nil {
		return nil, err
	}
	if err := os.WriteFile(plan, []byte(fleet), 0o600); err != nil {
		return nil, err
	}
	f.process = exec.Command(o.Program, "up", "--data", filepath.Join(dir, "data"), "--listen", address, "--tokens", tokens, "--fleet", plan) //nolint:noctx // it ends in its own way
	f.process.Stdout, f.process.Stderr = &f.said, &f.said
	if err := f.process.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", o.Program, err)
	}
	err = f.ready(ctx)
	return f, err
}

func tokensFile(names []string) string {
	var b strings.Builder
	for _, name := range names {
		sum := sha256.Sum256([]byte(tokenOf(name)))
		fmt.Fprintf(&b, "- {token_sha256: %s, user: %s, groups: [everybody], operator: %t}\n", hex.EncodeToString(sum[:]), name, name == operator)
	}
	return b.String()
}

// freeAddress is a port of this machine that nothing listens on now.
func freeAddress(ctx context.Context) (string, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

func (f *fort) ready(ctx context.Context) error {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+f.address+"/readyz", http.NoBody)
		if err != nil {
			return err
		}
		if res, err := http.DefaultClient.Do(r); err == nil {
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	f.fall()
	return fmt.Errorf("the server does not answer: %s", f.said.String())
}

// fall ends the server.
func (f *fort) fall() {
	_ = f.process.Process.Kill()
	_ = f.process.Wait()
}

// from is a client with connections of its own, from an address of this machine. Where the
// system has no such address, the usual one is taken.
func from(address string) *http.Client {
	own := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}, Timeout: 10 * time.Second}
	return &http.Client{
		Timeout: 2 * time.Minute,
		Transport: &http.Transport{
			MaxIdleConnsPerHost: 512,
			DialContext: func(ctx context.Context, network, to string) (net.Conn, error) {
				c, err := own.DialContext(ctx, network, to)
				if err != nil && ctx.Err() == nil && strings.Contains(err.Error(), "assign requested address") {
					return (&net.Dialer{}).DialContext(ctx, network, to)
				}
				return c, err
			},
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// call is one request to the API.
type call struct {
	path, kind, encoding string
	body                 []byte
}

// ask is a call in JSON.
func ask(path, text string) call {
	return call{path: "/muster.v1." + path, kind: "application/json", body: []byte(text)}
}

// send sends a call with a token, and says how it was answered.
func (f *fort) send(ctx context.Context, by *http.Client, token string, c call) (status int, size int64, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+f.address+c.path, bytes.NewReader(c.body))
	if err != nil {
		return 0, 0, err
	}
	r.Header.Set("Content-Type", c.kind)
	r.Header.Set("Authorization", "Bearer "+token)
	if c.encoding != "" {
		r.Header.Set("Content-Encoding", c.encoding)
	}
	return take(by, r)
}

// open asks for a page with a reader's cookie. again: as an open page asks for what of it
// has changed.
func (f *fort) open(ctx context.Context, by *http.Client, token, path string, again bool) (status int, size int64, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+f.address+path, http.NoBody)
	if err != nil {
		return 0, 0, err
	}
	r.AddCookie(&http.Cookie{Name: "muster_token", Value: token})
	if again {
		r.Header.Set("HX-Request", "true")
		r.Header.Set("HX-Target", "main")
	}
	return take(by, r)
}

func take(by *http.Client, r *http.Request) (status int, size int64, err error) {
	res, err := by.Do(r)
	if err != nil {
		return 0, 0, err
	}
	defer res.Body.Close()
	size, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, size, err
}
