package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestKubectlGoesThroughTheAPIServer asks a server that only an API server reaches:
// as its ConfigMap says, by the kubeconfig, and with a token of Muster's own. The API
// server takes what is in Authorization for itself, as real ones do.
func TestKubectlGoesThroughTheAPIServer(t *testing.T) {
	dir := t.TempDir()
	sum := sha256.Sum256([]byte("ada's-0123456789abcdefghij"))
	tokens := filepath.Join(dir, "tokens.yaml")
	write(t, tokens, "- {token_sha256: "+hex.EncodeToString(sum[:])+", user: ada, operator: true}\n")
	ctx, cancel := context.WithCancel(t.Context())
	s := &server{began: time.Now(), upOptions: upOptions{Data: filepath.Join(dir, "data"), Listen: "127.0.0.1:0", Tokens: tokens, LogLevel: "info", Out: t.Output(), Err: t.Output()}}
	if err := s.listen(ctx); err != nil {
		t.Fatal(err)
	}
	address := s.listener.Addr().String()
	if err := s.open(ctx); err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	done.Go(func() {
		if err := s.run(ctx); err != nil {
			t.Error(err)
		}
		s.close()
	})
	t.Cleanup(func() { cancel(); done.Wait() })

	apiServer := httptest.NewTLSServer(pretended(t, address))
	t.Cleanup(apiServer.Close)
	kubeconfig := filepath.Join(dir, "kubeconfig")
	write(t, kubeconfig, fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: x\ncontexts: [{name: x, context: {cluster: x, user: x}}]\nclusters: [{name: x, cluster: {server: %q, insecure-skip-tls-verify: true}}]\nusers: [{name: x, user: {token: kube}}]\n", apiServer.URL))
	trust := ""
	ask := func(token string, args ...string) (int, string) {
		var out, trouble strings.Builder
		env := world()
		env.Out, env.Err, env.OutTerminal = &out, &trouble, false
		env.Getenv = func(name string) string { return map[string]string{"MUSTER_TRUST": trust}[name] }
		code := plugin(t.Context(), env, append(args, "--kubeconfig", kubeconfig, "--token", token))
		return code, out.String() + trouble.String()
	}
	way := apiServer.URL + proxied
	if code, says := ask("ada's-0123456789abcdefghij", "status"); code == 0 || !strings.Contains(says, "muster trust "+way) {
		t.Errorf("a token is sent to a service that the ConfigMap of a cluster names alone: %d %s", code, says)
	}
	trust = way
	if code, says := ask("ada's-0123456789abcdefghij", "status"); code != 0 || !strings.Contains(says, "ada") {
		t.Errorf("status ends with %d: %s", code, says)
	}
	if code, says := ask("ada's-0123456789abcdefghij", "get", "quotas"); code != 0 {
		t.Errorf("get quotas ends with %d: %s", code, says)
	}
	if code, says := ask("eve's-0123456789abcdefghij", "get", "quotas"); code == 0 || !strings.Contains(says, "unknown token") {
		t.Errorf("a wrong token is answered with %d: %s", code, says)
	}
	if code, says := ask("", "get", "quotas"); code == 0 || !strings.Contains(says, "token") {
		t.Errorf("no token is answered with %d: %s", code, says)
	}
}

// proxied is where the pretended API server passes on what is asked.
const proxied = "/api/v1/namespaces/muster/services/http:muster:6878/proxy"

// pretended does of an API server what is needed: it signs its users in, has the signpost,
// and passes on to one service what is asked of that.
func pretended(t *testing.T, to string) http.Handler {
	t.Helper()
	behind := &url.URL{Scheme: "http", Host: to}
	pass := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(behind)
		r.Out.URL.Path = strings.TrimPrefix(r.In.URL.Path, proxied)
		r.Out.Header.Del("Authorization")
	}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer kube":
			http.Error(w, "who is that?", http.StatusUnauthorized)
		case r.URL.Path == "/api/v1/namespaces/muster/configmaps/muster":
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprint(w, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"muster"},"data":{"cluster":"tiger","server":"","service":"muster/muster:6878"}}`)
		case strings.HasPrefix(r.URL.Path, proxied+"/"):
			pass.ServeHTTP(w, r)
		default:
			http.NotFound(w, r)
		}
	})
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
