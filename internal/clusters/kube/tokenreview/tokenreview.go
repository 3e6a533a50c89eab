package tokenreview

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// subjectPrefix begins the name of a service account as Kubernetes writes it.
const subjectPrefix = "system:serviceaccount:"

// patience is how long a cluster has to answer.
const patience = 5 * time.Second

// How many tokens one cluster is asked about in a second, and at once.
const (
	perSecond = 100
	burst     = 200
)

// ErrUnknown says that a token is of no service account of the cluster, or not for Muster.
var ErrUnknown error = unknown{}

// unknown is a refusal; all other errors mean that the cluster did not answer.
type unknown struct{}

func (unknown) Error() string {
	return "the token is of no service account of the cluster, or was not made for Muster"
}

// Refused says that the cluster did answer.
func (unknown) Refused() bool { return true }

// Cluster answers whose token one is.
type Cluster struct{ client dynamic.Interface }

var reviews = schema.GroupVersionResource{Group: "authentication.k8s.io", Version: "v1", Resource: "tokenreviews"}

// Open reads how a cluster is reached: from a kubeconfig, or with "in-cluster" from the pod
// that asks. The account there needs the right to create tokenreviews, and no other.
func Open(kubeconfig string) (*Cluster, error) {
	config, err := rest.InClusterConfig()
	if kubeconfig != "in-cluster" {
		config, err = clientcmd.BuildConfigFromFlags("", kubeconfig)
	}
	if err != nil {
		return nil, fmt.Errorf("token reviews by %s: %w", kubeconfig, err)
	}
	return of(config)
}

func of(config *rest.Config) (*Cluster, error) {
	config.Timeout, config.QPS, config.Burst = patience, perSecond, burst
	way, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	way.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // with the token, wherever it leads
	client, err := dynamic.NewForConfigAndClient(config, way)
	return &Cluster{client}, err
}

// Review says whose token one is that was made for an audience: a service account, by
// namespace and name. The error is ErrUnknown, or that the cluster did not answer.
func (c *Cluster) Review(ctx context.Context, token, audience string) (namespace, name string, err error) {
	ctx, end := context.WithTimeout(ctx, patience)
	defer end()
	ask := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview",
		"spec": map[string]any{"token": token, "audiences": []any{audience}},
	}}
	answer, err := c.client.Resource(reviews).Create(ctx, ask, meta.CreateOptions{})
	if err != nil {
		return "", "", err
	}
	good, _, _ := unstructured.NestedBool(answer.Object, "status", "authenticated") // what is of another form is not there
	audiences, _, _ := unstructured.NestedStringSlice(answer.Object, "status", "audiences")
	user, _, _ := unstructured.NestedString(answer.Object, "status", "user", "username")
	subject, is := strings.CutPrefix(user, subjectPrefix)
	namespace, name, split := strings.Cut(subject, ":")
	if !good || !slices.Contains(audiences, audience) || !is || !split || namespace == "" || name == "" {
		return "", "", ErrUnknown
	}
	return namespace, name, nil
}
