package server

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/muster-fleet/muster/internal/prove/kubetest"
)

// plane is a real control plane of a test's own.
type plane struct {
	*kubetest.Cluster
	t      *testing.T
	ctx    context.Context
	tokens map[string]string // of service accounts, by namespace
}

// controlPlane starts a control plane, or skips the test where none is wanted.
func controlPlane(t *testing.T) *plane {
	t.Helper()
	if os.Getenv(kubetest.Wanted) == "" || testing.Short() {
		t.Skip("it starts a control plane; make controlplane-test runs it, or " + kubetest.Wanted + "=1")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	t.Cleanup(cancel)
	c, err := kubetest.Start(ctx)
	if kubetest.Skips(err) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	return &plane{c, t, ctx, map[string]string{}}
}

func (c *plane) must(method, path string, send any) {
	c.t.Helper()
	var status *kubetest.StatusError
	if err := c.Call(c.ctx, method, path, send, nil); err != nil && !(errors.As(err, &status) && status.Code == http.StatusConflict) {
		c.t.Fatal(err)
	}
}

// gang makes a workload of pods that wait for Muster, each of a whole node's half.
func (c *plane) gang(name string, pods int) {
	c.t.Helper()
	for i := range pods {
		p := kubetest.Pod("oak", fmt.Sprintf("%s-%d", name, i), 4)
		meta := p["metadata"].(kubetest.JSON)
		meta["labels"] = kubetest.JSON{"muster.dev/target": "flex", "muster.dev/workload": name}
		meta["annotations"] = kubetest.JSON{"muster.dev/replicas": fmt.Sprint(pods)}
		p["spec"].(kubetest.JSON)["schedulingGates"] = []kubetest.JSON{{"name": "muster.dev/admission"}}
		c.must(http.MethodPost, "/api/v1/namespaces/oak/pods", p)
	}
}

// pods lists the pods of namespace oak: their UID, and the node where each is.
func (c *plane) pods() map[string]string {
	c.t.Helper()
	var list struct {
		Items []struct {
			Metadata struct{ Name, UID string }
			Spec     struct{ NodeName string }
		}
	}
	if err := c.Call(c.ctx, http.MethodGet, "/api/v1/namespaces/oak/pods", nil, &list); err != nil {
		c.t.Fatal(err)
	}
	pods := map[string]string{}
	for _, p := range list.Items {
		pods[p.Metadata.Name] = p.Metadata.UID + " on " + p.Spec.NodeName
	}
	return pods
}

// account installs a plain manifest in a namespace of its own, and gives a kubeconfig
// of its agent's service account, which has the rights that the manifest gives.
func (c *plane) account(namespace, manifest string) string {
	c.t.Helper()
	c.must(http.MethodPost, "/api/v1/namespaces", kubetest.Namespace(namespace))
	for _, file := range []string{"../../deploy/kubernetes/rbac.yaml", manifest} {
		data, err := os.ReadFile(file)
		if err != nil {
			c.t.Fatal(err)
		}
		text := strings.ReplaceAll(string(data), "namespace: muster", "namespace: "+namespace)
		c.apply(strings.ReplaceAll(text, "name: muster-muster-", "name: muster-"+namespace+"-"), false)
	}
	var is struct{ Status struct{ Token string } }
	err := c.Call(c.ctx, http.MethodPost, "/api/v1/namespaces/"+namespace+"/serviceaccounts/muster-agent/token", kubetest.JSON{
		"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": kubetest.JSON{"expirationSeconds": 3600},
	}, &is)
	if err != nil {
		c.t.Fatal(err)
	}
	c.tokens[namespace] = is.Status.Token
	file := filepath.Join(c.t.TempDir(), "kubeconfig")
	if err := os.WriteFile(file, c.KubeconfigOf(is.Status.Token), 0o600); err != nil {
		c.t.Fatal(err)
	}
	return file
}

// refuses says that a service account may do none of some calls.
func (c *plane) refuses(namespace string, calls [][2]string) {
	c.t.Helper()
	for _, call := range calls {
		code, text := c.send(c.tokens[namespace], call[0], call[1], "application/json", []byte("{}"))
		if code != http.StatusForbidden {
			c.t.Errorf("the agent in %s may %s %s: %d %.200s", namespace, call[0], call[1], code, text)
		}
	}
}

var insecure = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} //nolint:gosec // loopback, its own certificate

func (c *plane) send(token, method, path, kind string, body []byte) (code int, text string) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.ctx, method, c.URL+path, bytes.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", kind)
	if method == http.MethodPatch && kind == "application/json" {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	res, err := insecure.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	data, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(data)
}

// places are where the API server has the kinds of the manifests.
var places = map[string]string{
	"ServiceAccount": "api/v1/serviceaccounts", "Service": "api/v1/services", "ConfigMap": "api/v1/configmaps",
	"StatefulSet": "apis/apps/v1/statefulsets", "Deployment": "apis/apps/v1/deployments", "PodDisruptionBudget": "apis/policy/v1/poddisruptionbudgets",
	"NetworkPolicy": "apis/networking.k8s.io/v1/networkpolicies", "ClusterRole": "apis/rbac.authorization.k8s.io/v1/clusterroles",
	"ClusterRoleBinding":               "apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
	"MutatingAdmissionPolicy":          "apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies",
	"MutatingAdmissionPolicyBinding":   "apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings",
	"ValidatingAdmissionPolicy":        "apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
	"ValidatingAdmissionPolicyBinding": "apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
	"PriorityClass":                    "apis/scheduling.k8s.io/v1/priorityclasses",
	"MutatingWebhookConfiguration":     "apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
	"ValidatingWebhookConfiguration":   "apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
	"CustomResourceDefinition":         "apis/apiextensions.k8s.io/v1/customresourcedefinitions",
	"Namespace":                        "api/v1/namespaces",
	"Pod":                              "api/v1/pods",
	"Job":                              "apis/batch/v1/jobs",
	"Role":                             "apis/rbac.authorization.k8s.io/v1/roles",
	"RoleBinding":                      "apis/rbac.authorization.k8s.io/v1/rolebindings",
}

// applyFile has the API server take all objects of a file.
func (c *plane) applyFile(file string) {
	c.t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		c.t.Fatal(err)
	}
	c.apply(string(data), false)
}

// apply has the API server take all objects of a text by server-side apply, strictly:
// a field that it does not know is refused. dry changes nothing.
func (c *plane) apply(text string, dry bool) (objects int) {
	c.t.Helper()
	for d := yaml.NewDecoder(strings.NewReader(text)); ; {
		var is map[string]any
		err := d.Decode(&is)
		if errors.Is(err, io.EOF) {
			return objects
		}
		if err != nil {
			c.t.Fatal(err)
		}
		if is == nil {
			continue
		}
		if objects++; is["kind"] != "Certificate" { // cert-manager's, which is not on this API server
			c.applyOne(is, dry)
		}
	}
}

func (c *plane) applyOne(is map[string]any, dry bool) {
	c.t.Helper()
	kind, _ := is["kind"].(string)
	meta, _ := is["metadata"].(map[string]any)
	place, known := places[kind]
	if !known {
		c.t.Fatalf("where are objects of kind %q?", kind)
	}
	if namespace, ok := meta["namespace"].(string); ok {
		at := strings.LastIndexByte(place, '/')
		place = place[:at] + "/namespaces/" + namespace + place[at:]
	}
	body, err := json.Marshal(is)
	if err != nil {
		c.t.Fatal(err)
	}
	path := fmt.Sprintf("/%s/%s?fieldManager=test&force=true&fieldValidation=Strict", place, meta["name"])
	if dry {
		path += "&dryRun=All"
	}
	if code, text := c.send(c.Token, http.MethodPatch, path, "application/apply-patch+yaml", body); code >= 300 {
		c.t.Errorf("%s %s is not taken: %d %.600s", kind, meta["name"], code, text)
	}
}

// restricted makes the pods of a text's workloads, without making them, in a namespace
// that takes nothing but restricted pods.
func (c *plane) restricted(name, text string) {
	c.t.Helper()
	pods := 0
	for d := yaml.NewDecoder(strings.NewReader(text)); ; {
		var is struct {
			Kind string
			Spec struct{ Template map[string]any }
		}
		err := d.Decode(&is)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			continue // another shape
		}
		if is.Kind != "Deployment" && is.Kind != "StatefulSet" {
			continue
		}
		pod := is.Spec.Template
		pod["apiVersion"], pod["kind"] = "v1", "Pod"
		pod["metadata"].(map[string]any)["name"] = "one"
		spec := pod["spec"].(map[string]any)
		volumes, _ := spec["volumes"].([]any)
		spec["volumes"] = append(volumes, map[string]any{"name": "data", "emptyDir": map[string]any{}})
		body, err := json.Marshal(pod)
		if err != nil {
			c.t.Fatal(err)
		}
		if code, text := c.send(c.Token, http.MethodPost, "/api/v1/namespaces/muster/pods?dryRun=All&fieldValidation=Strict", "application/json", body); code >= 300 {
			c.t.Errorf("%s: the pod of its %s is not taken: %d %.600s", name, is.Kind, code, text)
		}
		pods++
	}
	if pods == 0 {
		c.t.Errorf("%s: no pod was tried", name)
	}
}
