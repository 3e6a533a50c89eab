package server

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/muster-fleet/muster/internal/faces/cli"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestKubectlGoesThroughARealAPIServer asks a server that only the cluster's API server is
// told of, through that: with the signpost and the rights of the chart, and with a token
// of Muster's own. Without one of them it is said which.
func TestKubectlGoesThroughARealAPIServer(t *testing.T) {
	ip := ownAddress(t)
	c := controlPlane(t)
	c.must(http.MethodPost, "/api/v1/nodes", kubetest.Node("node-0", "NVIDIA-H200", "a", "r1"))
	w := &wayfarer{t: t, c: c, dir: t.TempDir()}
	admin := filepath.Join(w.dir, "admin")
	write(t, admin, string(c.KubeconfigOf(c.Token)))
	sum := sha256.Sum256([]byte("ada's-0123456789abcdefghij"))
	tokens := filepath.Join(w.dir, "tokens.yaml")
	write(t, tokens, "- {token_sha256: "+hex.EncodeToString(sum[:])+", user: ada, operator: true}\n")
	s, end := serving(c.ctx, t, upOptions{
		Data: filepath.Join(w.dir, "data"), Listen: ip + ":0", Tokens: tokens, Join: &joinOptions{Kubeconfig: admin, Name: "tiger", Quotas: true},
	})
	t.Cleanup(end)
	j := &joiner{t: t, c: c, file: admin, s: s}
	j.apply("examples/join/too-big.yaml")

	w.user("ada")
	w.c.must(http.MethodPost, "/api/v1/namespaces", kubetest.Namespace("muster"))
	w.c.apply(strings.Replace(w.signpost(), "services/proxy", "services/none", 1), false)
	w.says("the right to the way is missing", cli.ExitNotAllowed, []string{"get", "quotas", "--token", "ada's-0123456789abcdefghij"}, `cannot create resource "services/proxy"`, "muster-signpost", "--server")
	w.c.apply(w.signpost(), false)
	w.says("there is no such service", 1, []string{"get", "quotas", "--token", "ada's-0123456789abcdefghij"}, "not found", "is the server installed there?")
	w.service(ip, s.listener.Addr().(*net.TCPAddr).Port)
	w.says("the way is open", 0, []string{"status", "--token", "ada's-0123456789abcdefghij"}, "ada")
	w.says("no token", cli.ExitNotAllowed, []string{"get", "quotas"}, "token")
	w.says("a wrong token", cli.ExitNotAllowed, []string{"get", "quotas", "--token", "eve's-0123456789abcdefghij"}, "unknown token")

	j.waitsFor(func(s *fleet.State) bool { return s.Workload("muster-try", "too-big") != nil })
	w.says("why the pod waits", 0, []string{"why", "too-big", "-n", "muster-try", "--token", "ada's-0123456789abcdefghij"}, "muster-try/too-big waits", "GangTooLarge")
	w.says("a command, which is sent and not got", 0, []string{"quota", "create", "oak", "--token", "ada's-0123456789abcdefghij"}, "oak")
	w.says("a namespace of whose pods it may not hear", 1, []string{"why", "pod/one", "-n", "kube-system", "--token", "ada's-0123456789abcdefghij"}, "cannot get resource \"pods\"")
	end()
	w.says("the server is away", 1, []string{"get", "quotas", "--token", "ada's-0123456789abcdefghij"}, "does the server run?")
}

// wayfarer is a user of a cluster who knows its kubeconfig and no address of Muster's.
type wayfarer struct {
	t    *testing.T
	c    *plane
	dir  string
	file string // the kubeconfig
}

// user makes a user who may look at the pods of one namespace, and no more.
func (w *wayfarer) user(name string) {
	w.t.Helper()
	const space = "/api/v1/namespaces/muster-try/serviceaccounts"
	w.c.must(http.MethodPost, space, kubetest.JSON{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": kubetest.JSON{"name": name}})
	w.c.must(http.MethodPost, "/apis/rbac.authorization.k8s.io/v1/namespaces/muster-try/rolebindings", kubetest.JSON{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": kubetest.JSON{"name": name},
		"roleRef":  kubetest.JSON{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
		"subjects": []kubetest.JSON{{"kind": "ServiceAccount", "name": name, "namespace": "muster-try"}},
	})
	var is struct{ Status struct{ Token string } }
	if err := w.c.Call(w.c.ctx, http.MethodPost, space+"/"+name+"/token", kubetest.JSON{
		"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": kubetest.JSON{"expirationSeconds": 3600},
	}, &is); err != nil {
		w.t.Fatal(err)
	}
	w.file = filepath.Join(w.dir, name)
	write(w.t, w.file, string(w.c.KubeconfigOf(is.Status.Token)))
}

// says asks until the answer ends so and says all that it should: rights and services
// take the API server a moment.
func (w *wayfarer) says(what string, code int, args []string, words ...string) {
	w.t.Helper()
	for end := time.Now().Add(inTime); ; time.Sleep(100 * time.Millisecond) {
		is, says := w.kubectl(args...)
		missing := ""
		for _, word := range words {
			if !strings.Contains(strings.Join(strings.Fields(says), " "), word) {
				missing = word
			}
		}
		if is == code && missing == "" {
			w.t.Logf("%s: %s", what, strings.TrimSpace(says))
			return
		}
		if time.Now().After(end) {
			w.t.Fatalf("%s: kubectl muster %v ends with %d, not %d, or does not say %q:\n%s", what, args, is, code, missing, says)
		}
	}
}

func (w *wayfarer) kubectl(args ...string) (code int, says string) {
	var out, trouble strings.Builder
	env := world()
	env.Out, env.Err, env.OutTerminal = &out, &trouble, false
	env.Getenv = func(string) string { return "" }
	code = plugin(w.c.ctx, env, append(args, "--kubeconfig", w.file))
	return code, out.String() + trouble.String()
}

// signpost is what the chart makes of its template where server and agent are in one
// cluster, without the program that usually does it.
func (w *wayfarer) signpost() string {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(deploy, "helm", "muster", "templates", "signpost.yaml"))
	if err != nil {
		w.t.Fatal(err)
	}
	names := map[string]string{"muster.name": "muster", "muster.labels": "app.kubernetes.io/name: muster", "muster.through": "true"}
	parsed, err := template.New("signpost").Funcs(template.FuncMap{
		"include": func(name string, _ any) string { return names[name] },
		"quote":   func(v any) string { return fmt.Sprintf("%q", fmt.Sprint(v)) },
		"nindent": func(n int, text string) string { return "\n" + strings.Repeat(" ", n) + text },
	}).Parse(string(text))
	if err != nil {
		w.t.Fatal(err)
	}
	type values = map[string]any
	var out strings.Builder
	err = parsed.Execute(&out, values{"Release": values{"Namespace": "muster"}, "Values": values{
		"agent":  values{"enabled": true, "cluster": "tiger", "signpost": values{"enabled": true, "server": ""}},
		"server": values{"service": values{"port": 6878}},
	}})
	if err != nil {
		w.t.Fatal(err)
	}
	return out.String()
}

// service makes the chart's service, with this machine behind it as its pod.
func (w *wayfarer) service(ip string, port int) {
	w.t.Helper()
	w.c.must(http.MethodPost, "/api/v1/namespaces/muster/services", kubetest.JSON{
		"apiVersion": "v1", "kind": "Service", "metadata": kubetest.JSON{"name": "muster"},
		"spec": kubetest.JSON{"ports": []kubetest.JSON{{"name": "api", "port": 6878, "protocol": "TCP"}}},
	})
	pod := kubetest.Pod("muster", "muster-0", 1) // none that runs: an API server passes on to what a pod says its address is
	pod["spec"].(kubetest.JSON)["schedulingGates"] = []kubetest.JSON{{"name": "example.com/never"}}
	w.c.must(http.MethodPost, "/api/v1/namespaces/muster/pods", pod)
	w.c.must(http.MethodPatch, "/api/v1/namespaces/muster/pods/muster-0/status", kubetest.JSON{"status": kubetest.JSON{"podIP": ip, "podIPs": []kubetest.JSON{{"ip": ip}}}})
	w.c.must(http.MethodPost, "/api/v1/namespaces/muster/endpoints", kubetest.JSON{
		"apiVersion": "v1", "kind": "Endpoints", "metadata": kubetest.JSON{"name": "muster"},
		"subsets": []kubetest.JSON{{
			"addresses": []kubetest.JSON{{"ip": ip, "targetRef": kubetest.JSON{"kind": "Pod", "namespace": "muster", "name": "muster-0"}}},
			"ports":     []kubetest.JSON{{"name": "api", "port": port, "protocol": "TCP"}},
		}},
	})
}

// ownAddress is an address of this machine that an API server calls a service at: none
// that is only for talking to oneself.
func ownAddress(t *testing.T) string {
	t.Helper()
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if is, ok := a.(*net.IPNet); ok && is.IP.To4() != nil && is.IP.IsGlobalUnicast() {
			return is.IP.String()
		}
	}
	t.Skip("this machine has no address but loopback, to which no API server passes anything on")
	return ""
}
