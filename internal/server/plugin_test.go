package server

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/faces/cli"
)

// TestATokenGoesWhereAPersonSaid sends no token where only a ConfigMap says that the server is.
func TestATokenGoesWhereAPersonSaid(t *testing.T) {
	home := t.TempDir()
	of := func(trust, token string) *asked {
		return &asked{token: token, env: &cli.Env{Getenv: func(key string) string { return map[string]string{"MUSTER_TRUST": trust, "HOME": home}[key] }}}
	}
	if err := of("", "t").trusts("elsewhere:1"); err == nil || !strings.Contains(err.Error(), "muster trust elsewhere:1") {
		t.Errorf("a token is sent there, or nothing says what to do: %v", err)
	}
	trust := func(args ...string) {
		t.Helper()
		env := &cli.Env{Out: t.Output(), Err: t.Output(), Getenv: of("", "").env.Getenv, Now: time.Now}
		if code := command(t.Context(), env, append([]string{"trust"}, args...)); code != 0 {
			t.Fatalf("muster trust %q ends with %d", args, code)
		}
	}
	trust("elsewhere:1")
	if err := of("", "t").trusts("elsewhere:1"); err != nil {
		t.Errorf("after muster trust: %v", err)
	}
	if err := of("", "t").trusts("elsewhere:12"); err == nil {
		t.Error("another address is trusted, too")
	}
	file := filepath.Join(home, ".local", "state", "muster", "trusted")
	if err := os.Chmod(file, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := of("", "t").trusts("elsewhere:1"); err == nil {
		t.Error("a list is believed that other users write")
	}
	if err := os.Chmod(file, 0o600); err != nil {
		t.Fatal(err)
	}
	trust("--forget", "elsewhere:1")
	if err := of("", "t").trusts("elsewhere:1"); err == nil {
		t.Error("it is trusted although it was forgotten")
	}
	for what, p := range map[string]*asked{"trusted": of("other:1, elsewhere:1", "t"), "no token": of("", "")} {
		if err := p.trusts("elsewhere:1"); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestKubectlsFlagsAreTakenOut reads command lines as kubectl hands them on.
func TestKubectlsFlagsAreTakenOut(t *testing.T) {
	env := &cli.Env{Getenv: func(key string) string { return map[string]string{"MUSTER_SERVER": "elsewhere:1"}[key] }}
	p, rest := pluginOf(env, []string{"why", "--context", "lion", "train-0", "-n", "oak", "--kubeconfig=/x", "--history", "-o", "json"})
	if want := []string{"why", "train-0", "--history", "-o", "json"}; !slices.Equal(rest, want) {
		t.Errorf("left is %q, not %q", rest, want)
	}
	if p.context != "lion" || p.namespace != "oak" || p.kubeconfig != "/x" || p.server != "elsewhere:1" {
		t.Errorf("read is %+v", p)
	}
	if p, _ := pluginOf(env, []string{"free", "--server", "here:1"}); p.server != "here:1" {
		t.Errorf("the flag does not come before the environment: %+v", p)
	}
	if _, rest := pluginOf(env, []string{"submit", "-f", "x", "--", "-n", "y"}); !slices.Equal(rest, []string{"submit", "-f", "x", "--", "-n", "y"}) {
		t.Errorf("what comes after -- was taken: %q", rest)
	}
	for name, is := range map[string]bool{"/usr/bin/kubectl-muster": true, "kubectl-muster.exe": true, "muster": false, "/opt/kubectl-muster/muster": false} {
		if isPlugin(name) != is {
			t.Errorf("%s: %v", name, !is)
		}
	}
}
