package kube

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
)

// NamespaceOf is the namespace that a context of a kubeconfig names.
func NamespaceOf(file, in string) string {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = file
	namespace, _, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: in}).Namespace()
	if err != nil || namespace == "" {
		return "default"
	}
	return namespace
}

// WorkloadOf says which workload a pod is of, as Muster calls it. ok is false where
// there is no such pod, or it asks for no GPU.
func (c *Client) WorkloadOf(ctx context.Context, namespace, pod string) (name string, ok bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var is corev1.Pod
	if err := c.core.Get().Namespace(namespace).Resource("pods").Name(pod).Do(ctx).Into(&is); err != nil {
		if apierrors.IsNotFound(err) {
			return "", false, nil
		}
		return "", false, err
	}
	o := translate.Defaults("")
	of, ok := translate.PodOf(&is, &o)
	return of.Workload()[1], ok, nil
}

// signpost is the ConfigMap by which a cluster says who it is in Muster.
const signpost = "muster"

// Signpost reads what the cluster is called in Muster, where the server is, and by which
// of the cluster's own services it is reached too; "" where the cluster does not say.
func (c *Client) Signpost(ctx context.Context) (cluster, server, service string) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var is corev1.ConfigMap
	if err := c.core.Get().Namespace(signpost).Resource("configmaps").Name(signpost).Do(ctx).Into(&is); err != nil {
		return "", "", ""
	}
	return is.Data["cluster"], is.Data["server"], is.Data["service"]
}
