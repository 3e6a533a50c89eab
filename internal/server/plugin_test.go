package server

import (
	"slices"
	"testing"

	"github.com/muster-fleet/muster/internal/faces/cli"
)

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
