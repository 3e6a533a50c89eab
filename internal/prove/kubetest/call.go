package kubetest

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/plain"
)

var insecure = &http.Client{Transport: &http.Transport{
	TLSClientConfig:     &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // loopback, its own certificate
	MaxIdleConnsPerHost: plain.Pace, ForceAttemptHTTP2: true,
}}

// StatusError is an answer of the API server that is no success.
type StatusError = plain.Error

func (c *Cluster) plain() plain.Server {
	return plain.Server{URL: c.URL, HTTP: insecure, Token: c.Token}
}

// answered is how long an answer may take.
const answered = 2 * time.Minute

// Call asks the API server as the administrator, as plain.Server does. An answer that never comes
// is an error after a while: a test asks again, or says what it has waited for. What the API server does not do yet,
// since it has just heard of the kind, is asked again here.
func (c *Cluster) Call(ctx context.Context, method, path string, send, into any) error {
	ctx, cancel := context.WithTimeout(ctx, answered)
	defer cancel()
	for {
		err := c.plain().Call(ctx, method, path, send, into)
		if err == nil || !strings.Contains(err.Error(), justHeardOf) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// justHeardOf is what an API server says to who makes something of a kind that its policies of admission do not know yet.
const justHeardOf = "There can be a delay between when CustomResourceDefinitions are created and when they are available"

// Stream asks the API server as the administrator for what is no JSON object: figures, or a
// watch. Who asks closes it.
func (c *Cluster) Stream(ctx context.Context, path string) (io.ReadCloser, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL+path, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.Token)
	res, err := insecure.Do(r)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		_ = res.Body.Close()
		return nil, fmt.Errorf("kubetest: GET %s: %s", path, res.Status)
	}
	return res.Body, nil
}

// CreateAll makes objects below one path, many at a time.
func (c *Cluster) CreateAll(ctx context.Context, path string, objects []JSON) error {
	return c.plain().Make(ctx, path, objects, nil)
}
