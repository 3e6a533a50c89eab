package kube

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
)

// TestWhatOnlyMusterChangesOfAPod tries, as a user who may update pods, what got past admission
// while it looked at CREATE alone: taking the gate away, pinning the pod, writing Muster's
// annotations, giving it another target.
func TestWhatOnlyMusterChangesOfAPod(t *testing.T) {
	w := yielding(t, 1, 1, map[string]int{"oak": 8})
	w.call(http.MethodPost, "/apis/rbac.authorization.k8s.io/v1/namespaces/oak/roles", kubetest.JSON{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": kubetest.JSON{"name": "edits"},
		"rules": []kubetest.JSON{{"apiGroups": []string{""}, "resources": []string{"pods"}, "verbs": []string{"get", "update", "patch"}}},
	}, nil)
	w.call(http.MethodPost, "/apis/rbac.authorization.k8s.io/v1/namespaces/oak/rolebindings", kubetest.JSON{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": kubetest.JSON{"name": "edits"},
		"roleRef":  kubetest.JSON{"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "edits"},
		"subjects": []kubetest.JSON{{"kind": "User", "name": "mia", "apiGroup": "rbac.authorization.k8s.io"}},
	}, nil)
	w.pod(target(kubetest.Pod("oak", "waits", 800), "oak")) // it waits, with its gate
	const path = "/api/v1/namespaces/oak/pods/waits"
	tries := map[string]string{
		"the gate is taken away":     `{"spec":{"schedulingGates":null}}`,
		"a node is pinned":           `{"spec":{"nodeSelector":{"kubernetes.io/hostname":"i0-n000"}}}`,
		"Muster's annotation is set": `{"metadata":{"annotations":{"` + translate.AnnotationNode + `":"i0-n000"}}}`,
		"another target":             `{"metadata":{"labels":{"muster.dev/target":"elm"}}}`,
		"no target any more":         `{"metadata":{"labels":{"muster.dev/target":null}}}`,
	}
	for what, patch := range tries {
		w.eventually(time.Minute, what+": a refusal", func() string {
			code, says := w.patchAs("mia", path, patch)
			if code == http.StatusOK || !strings.Contains(says, "muster-updates") {
				return says
			}
			return ""
		})
	}
	if code, says := w.patchAs("mia", path, `{"metadata":{"labels":{"mine":"yes"}}}`); code != http.StatusOK {
		t.Errorf("a label of one's own is refused: %s", says)
	}
}

// patchAs is what the API server would say of a change of a pod by a user. It changes nothing.
func (w *world) patchAs(user, path, patch string) (code int, says string) {
	w.t.Helper()
	config, err := clientcmd.RESTConfigFromKubeConfig(w.c.KubeconfigOf(w.c.Token))
	if err != nil {
		w.t.Fatal(err)
	}
	config.Impersonate.UserName = user
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		w.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(w.ctx, http.MethodPatch, config.Host+path+"?dryRun=All", strings.NewReader(patch))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/merge-patch+json")
	res, err := client.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return res.StatusCode, string(body)
}
