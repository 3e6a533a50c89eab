package kubetest

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// What a controller needs besides its program so that the API server can ask it:
// webhooks that name loopback instead of a Service, and a certificate where it looks
// for one.

// hookKinds are where the kinds of webhook configurations are made.
var hookKinds = map[any]string{
	"MutatingWebhookConfiguration":   "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
	"ValidatingWebhookConfiguration": "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
}

// makeHooks waits until a controller serves its webhooks, and has the API server ask them.
func (c *Cluster) makeHooks(ctx context.Context, source, name string, is controller, in place) error {
	if is.hooks == "" {
		return nil
	}
	all, err := documents(filepath.Join(source, is.hooks))
	if err != nil {
		return err
	}
	for _, conf := range all {
		if err := c.makeHook(ctx, name, conf, is.pods, in); err != nil {
			return err
		}
	}
	return nil
}

// makeHook does so with one configuration.
func (c *Cluster) makeHook(ctx context.Context, name string, conf JSON, pods string, in place) error {
	cert, err := os.ReadFile(filepath.Join(in.dir, "tls.crt"))
	if err != nil {
		return err
	}
	conf["metadata"] = JSON{"name": "test-" + name}
	list, _ := conf["webhooks"].([]any)
	for _, of := range list {
		url := toLoopback(of.(JSON), pods, in.webhook, cert)
		if err := c.serves(ctx, name, url); err != nil {
			return err
		}
	}
	return c.make(ctx, hookKinds[conf["kind"]], conf)
}

// toLoopback lets a webhook be asked on loopback, and about pods with a label only,
// as those who install it do. It returns its address.
func toLoopback(hook JSON, pods string, port int, cert []byte) (url string) {
	service := hook["clientConfig"].(JSON)["service"].(JSON)
	url = fmt.Sprintf("https://127.0.0.1:%d%s", port, service["path"])
	hook["clientConfig"] = JSON{"url": url, "caBundle": base64.StdEncoding.EncodeToString(cert)}
	for _, rule := range hook["rules"].([]any) {
		if resources := rule.(JSON)["resources"].([]any); resources[0] == "pods" {
			hook["objectSelector"] = JSON{"matchExpressions": []JSON{{"key": pods, "operator": "Exists"}}}
		}
	}
	return url
}

// serves waits until a server answers at an address.
func (c *Cluster) serves(ctx context.Context, name, url string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} //nolint:gosec // loopback, its own certificate
	defer client.CloseIdleConnections()
	for {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader([]byte("{}")))
		if err != nil {
			return err
		}
		r.Header.Set("Content-Type", "application/json")
		if res, err := client.Do(r); err == nil {
			_ = res.Body.Close()
			if res.StatusCode != http.StatusNotFound {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("kubetest: %s does not serve %s: %w\n%s", name, url, ctx.Err(), c.lastWords(name))
		case <-c.ended(name):
			return fmt.Errorf("kubetest: %s ended\n%s", name, c.lastWords(name))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// secret is a certificate that a controller makes for itself and keeps in a cluster,
// from where a kubelet mounts it.
type secret struct {
	space, name string
	dir         string // where the controller looks for it
	hooks       string // the validating webhooks for which it is
}

// makeRoom makes what a controller that makes a certificate expects to be there. Its
// webhooks are not called: objects must be made as they want them.
func (c *Cluster) makeRoom(ctx context.Context, s *secret) error {
	if s == nil {
		return nil
	}
	err := c.make(ctx, "/api/v1/namespaces", Namespace(s.space))
	return errors.Join(err,
		c.make(ctx, "/api/v1/namespaces/"+s.space+"/secrets", JSON{"apiVersion": "v1", "kind": "Secret", "metadata": JSON{"name": s.name}}),
		c.make(ctx, hookKinds["ValidatingWebhookConfiguration"], JSON{
			"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration", "metadata": JSON{"name": s.hooks}, "webhooks": []JSON{},
		}))
}

// mount does what a kubelet would: it puts the certificate where the controller looks for it.
func (c *Cluster) mount(ctx context.Context, name string, s *secret) error {
	if s == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		var is struct{ Data map[string][]byte }
		_ = c.Call(ctx, http.MethodGet, "/api/v1/namespaces/"+s.space+"/secrets/"+s.name, nil, &is)
		if len(is.Data) > 0 {
			return writeAll(s.dir, is.Data)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("kubetest: %s makes no certificate: %w\n%s", name, ctx.Err(), c.lastWords(name))
		case <-c.ended(name):
			return fmt.Errorf("kubetest: %s ended\n%s", name, c.lastWords(name))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func writeAll(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}
