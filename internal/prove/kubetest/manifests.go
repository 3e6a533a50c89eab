package kubetest

import (
	"context"
	"fmt"
	"net/http"
	"strings"
)

// Create creates the objects of a file of manifests that are not there yet.
func (c *Cluster) Create(ctx context.Context, file string) error {
	list, err := documents(file)
	if err != nil {
		return err
	}
	for _, object := range list {
		if err := c.make(ctx, pathOf(object), object); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

// pathOf is where objects like this one are made.
func pathOf(object JSON) string {
	path := fmt.Sprintf("/apis/%s", object["apiVersion"])
	if object["apiVersion"] == "v1" {
		path = "/api/v1"
	}
	if is, _ := object["metadata"].(JSON); is["namespace"] != nil {
		path += fmt.Sprintf("/namespaces/%s", is["namespace"])
	}
	return path + "/" + pluralOf(object["kind"].(string))
}

// pluralOf is the resource of a kind.
func pluralOf(kind string) string {
	resource := strings.ToLower(kind)
	switch {
	case strings.HasSuffix(resource, "policy"):
		return strings.TrimSuffix(resource, "y") + "ies"
	case strings.HasSuffix(resource, "class"):
		return resource + "es"
	}
	return resource + "s"
}

const clusterRoleBindings = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"

// Grant gives a user a cluster role, by a binding of the role's name.
func (c *Cluster) Grant(ctx context.Context, user, role string) error {
	return c.make(ctx, clusterRoleBindings, JSON{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": JSON{"name": role},
		"roleRef":  JSON{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
		"subjects": []JSON{{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}},
	})
}

// Revoke takes away what Grant gave; that it was not given is no error.
func (c *Cluster) Revoke(ctx context.Context, role string) {
	_ = c.Call(ctx, http.MethodDelete, clusterRoleBindings+"/"+role, nil, nil)
}
