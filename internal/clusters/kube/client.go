package kube

import (
	"context"
	"fmt"
	"net/http"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// Client speaks with the API server of one cluster. It knows the few kinds of
// objects that Muster needs, and no others, which keeps the program small.
type Client struct {
	core    rest.Interface
	batch   rest.Interface
	dynamic dynamic.Interface
	Server  string // its address
}

// How fast the API server may be asked: far above what decisions need, so that it
// is the API server's own fairness that bounds a burst.
const (
	perSecond = 1000
	burst     = 2000
)

// Connect reaches the cluster of a kubeconfig file and a context in it; "" is the
// one that the file calls current. No file: the cluster that this process runs in.
func Connect(file, in string) (*Client, error) {
	config, err := ConfigOf(file, in)
	if err != nil {
		return nil, err
	}
	return connect(config)
}

// Over reaches a cluster by a way that is there already, as an agent's line is.
func Over(cluster string, way http.RoundTripper) (*Client, error) {
	return connect(&rest.Config{Host: "http://" + cluster, Transport: way})
}

// ConfigOf is how the cluster of a kubeconfig file and a context in it is reached.
func ConfigOf(file, in string) (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = file
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: in}).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("kubeconfig %s: %w", file, err)
	}
	return config, nil
}

func connect(config *rest.Config) (c *Client, err error) {
	config.QPS, config.Burst, config.UserAgent = perSecond, burst, "muster"
	config.Timeout = 0 // watches last; single calls have a context
	config.Wrap(Stays)
	c = &Client{Server: config.Host}
	if c.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return nil, err
	}
	if c.core, err = typedClient(rest.CopyConfig(config), "/api", corev1.SchemeGroupVersion); err != nil {
		return nil, err
	}
	if c.batch, err = typedClient(rest.CopyConfig(config), "/apis", batchv1.SchemeGroupVersion); err != nil {
		return nil, err
	}
	return c, nil
}

// typedClient speaks of one group of kinds in protobuf, in which the API server keeps what
// others watch, too.
func typedClient(config *rest.Config, path string, group schema.GroupVersion) (rest.Interface, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, policyv1.AddToScheme, batchv1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	config.GroupVersion, config.APIPath = &group, path
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	config.ContentType, config.AcceptContentTypes = runtime.ContentTypeProtobuf, runtime.ContentTypeProtobuf+","+runtime.ContentTypeJSON
	return rest.RESTClientFor(config)
}

// patience bounds a single call. An API server that has just begun may let a call
// hang, and a controller that waits for it would do nothing else.
const patience = 10 * time.Second

// Alive asks whether the API server answers, and in how long.
func (c *Client) Alive(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var code int
	res := c.core.Get().AbsPath("/livez").Do(ctx).StatusCode(&code)
	if err := res.Error(); err != nil {
		return err
	}
	if code != http.StatusOK {
		return fmt.Errorf("/livez answers %d", code)
	}
	return nil
}

// listWatch lists and watches all objects of one kind.
func (c *Client) listWatch(resource string) cache.ListerWatcher { return listWatch(c.core, resource) }

func listWatch(c rest.Interface, resource string) cache.ListerWatcher {
	return cache.NewFilteredListWatchFromClient(c, resource, metav1.NamespaceAll, func(*metav1.ListOptions) {})
}

// listAny lists objects of a kind that the cluster may not know, in the first of
// some versions that it has; none: it has none.
func (c *Client) listAny(ctx context.Context, group, resource string, versions ...string) ([]*unstructured.Unstructured, error) {
	for _, v := range versions {
		list, err := c.dynamic.Resource(schema.GroupVersionResource{Group: group, Version: v, Resource: resource}).List(ctx, metav1.ListOptions{})
		if missing(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out := make([]*unstructured.Unstructured, len(list.Items))
		for i := range list.Items {
			out[i] = &list.Items[i]
		}
		return out, nil
	}
	return nil, nil
}
