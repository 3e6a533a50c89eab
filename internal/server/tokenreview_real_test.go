package server

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"connectrpc.com/connect"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
)

// adasToken is an operator's; trainAccount is the path of a service account on an API server.
const adasToken, trainAccount = "ada's-0123456789abcdefghij", "/api/v1/namespaces/oak/serviceaccounts/train"

// TestARealAPIServerSaysWhoseTokenOneIs lets a workload of a real control plane in by a token of
// its service account. It may do what its role allows, for as long as the account is there. Only a
// token that was made for this server and this cluster is taken.
func TestARealAPIServerSaysWhoseTokenOneIs(t *testing.T) {
	c := controlPlane(t)
	c.must(http.MethodPost, "/api/v1/namespaces", kubetest.Namespace("oak"))
	c.must(http.MethodPost, "/api/v1/namespaces/oak/serviceaccounts", kubetest.JSON{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": kubetest.JSON{"name": "train"}})
	sum, tokens := sha256.Sum256([]byte(adasToken)), filepath.Join(t.TempDir(), "tokens.yaml")
	write(t, tokens, "- {token_sha256: "+hex.EncodeToString(sum[:])+", user: ada, operator: true}\n")
	s, end := serving(c.ctx, t, upOptions{
		Data: filepath.Join(t.TempDir(), "data"), Tokens: tokens, TokenReview: map[string]string{"tiger": c.reviewer()},
	})
	t.Cleanup(end)
	as := func(token string) *client.Client {
		return client.New(client.Options{Address: s.listener.Addr().String(), Token: token})
	}
	good := c.tokenOf(trainAccount, "muster/tiger")
	is, err := as(good).System.Status(c.ctx, &musterv1.StatusRequest{})
	if err != nil || is.GetActor() != "kubernetes:oak/train@tiger" || is.GetOperator() {
		t.Fatalf("the workload is %q, operator %t: %v", is.GetActor(), is.GetOperator(), err)
	}
	for what, token := range map[string]string{
		"of the API server itself": c.tokenOf(trainAccount, ""),
		"for another cluster":      c.tokenOf(trainAccount, "muster/lion"),
		"with another signature":   good[:len(good)-6] + "AAAAAA",
	} {
		if _, err := as(token).System.Status(c.ctx, &musterv1.StatusRequest{}); connect.CodeOf(err) != connect.CodeUnauthenticated {
			t.Errorf("a token %s: %v", what, err)
		}
	}
	submit := func() error {
		_, err := as(good).Workloads.Submit(c.ctx, &musterv1.SubmitRequest{Spec: &musterv1.WorkloadSpec{
			Name: "w", Namespace: "oak", Target: "flex", Pools: []*musterv1.Pool{{Name: "w", Gpus: 1, Replicas: 1}},
		}})
		return err
	}
	if err := submit(); connect.CodeOf(err) != connect.CodePermissionDenied {
		t.Errorf("it submits without a role: %v", err)
	}
	_, err = as(adasToken).Access.GrantRole(c.ctx, &musterv1.GrantRoleRequest{
		Write:   &musterv1.Write{Reason: "its jobs"},
		Binding: &musterv1.RoleBinding{Subject: "kubernetes:oak/train@tiger", Role: "researcher", Scope: &musterv1.Scope{Namespace: "oak"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := submit(); connect.CodeOf(err) == connect.CodePermissionDenied || connect.CodeOf(err) == connect.CodeUnauthenticated {
		t.Errorf("it may not submit with its role: %v", err)
	}
	c.must(http.MethodDelete, trainAccount, nil)
	gone := time.Now()
	for {
		_, err := as(good).System.Status(c.ctx, &musterv1.StatusRequest{})
		if connect.CodeOf(err) == connect.CodeUnauthenticated {
			t.Logf("refused %v after its account was deleted", time.Since(gone).Round(time.Millisecond))
			return
		}
		if time.Since(gone) > inTime {
			t.Fatalf("it goes on %v after its account was deleted: %v", time.Since(gone), err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// reviewer is a kubeconfig of an account that may ask whose token one is, and nothing else.
func (c *plane) reviewer() string {
	c.t.Helper()
	const space = "/api/v1/namespaces/kube-public/serviceaccounts"
	c.must(http.MethodPost, space, kubetest.JSON{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": kubetest.JSON{"name": "reviewer"}})
	const group = "rbac.authorization.k8s.io"
	c.must(http.MethodPost, "/apis/"+group+"/v1/clusterroles", kubetest.JSON{
		"apiVersion": group + "/v1", "kind": "ClusterRole", "metadata": kubetest.JSON{"name": "reviewer"},
		"rules": []kubetest.JSON{{"apiGroups": []string{"authentication.k8s.io"}, "resources": []string{"tokenreviews"}, "verbs": []string{"create"}}},
	})
	c.must(http.MethodPost, "/apis/"+group+"/v1/clusterrolebindings", kubetest.JSON{
		"apiVersion": group + "/v1", "kind": "ClusterRoleBinding", "metadata": kubetest.JSON{"name": "reviewer"},
		"roleRef":  kubetest.JSON{"apiGroup": group, "kind": "ClusterRole", "name": "reviewer"},
		"subjects": []kubetest.JSON{{"kind": "ServiceAccount", "name": "reviewer", "namespace": "kube-public"}},
	})
	file := filepath.Join(c.t.TempDir(), "reviewer")
	write(c.t, file, string(c.KubeconfigOf(c.tokenOf(space+"/reviewer", ""))))
	return file
}

// tokenOf is a token of a service account, made for an audience; "": for the API server.
func (c *plane) tokenOf(account, audience string) string {
	c.t.Helper()
	spec := kubetest.JSON{"expirationSeconds": 3600}
	if audience != "" {
		spec["audiences"] = []string{audience}
	}
	var is struct{ Status struct{ Token string } }
	err := c.Call(c.ctx, http.MethodPost, account+"/token", kubetest.JSON{"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec}, &is)
	if err != nil {
		c.t.Fatal(err)
	}
	return is.Status.Token
}
