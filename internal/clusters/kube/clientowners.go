package kube

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
)

// owner is what an owner's object says of its size and its end.
type owner struct {
	size  int            // pods, or what is scaled; 0: not said
	sizes map[string]int // pods of each of its parts, where it has several
	at    time.Time      // when it was asked
	group int            // of a LeaderWorkerSet: pods of each group that ask for GPUs; 0: not said
	// staged are its pods as they would be made, where it makes some only once others run.
	staged    []translate.Pod
	namespace string // of these
	// counted says that the sizes are of what is left, as the Jobs themselves say.
	counted bool
	object  *unstructured.Unstructured // itself, until it is read
	ending
}

// sizeOf is how many pods a part has.
func (o *owner) sizeOf(part string) int {
	if n, ok := o.sizes[part]; ok {
		return n
	}
	return o.size
}

// owners are the kinds that are asked, by their resource.
var owners = map[string]schema.GroupVersionResource{
	"Job":             {Group: "batch", Version: "v1", Resource: "jobs"},
	"JobSet":          {Group: "jobset.x-k8s.io", Version: "v1alpha2", Resource: "jobsets"},
	"Deployment":      {Group: "apps", Version: "v1", Resource: "deployments"},
	"StatefulSet":     {Group: "apps", Version: "v1", Resource: "statefulsets"},
	"LeaderWorkerSet": {Group: "leaderworkerset.x-k8s.io", Version: "v1", Resource: "leaderworkersets"},
	"RayCluster":      {Group: "ray.io", Version: "v1", Resource: "rayclusters"},
	"MPIJob":          {Group: "kubeflow.org", Version: "v2beta1", Resource: "mpijobs"},
}

// ownerOf asks for the object that made a pod. ok is false where its kind is not
// asked, or it is not there.
func (c *Client) ownerOf(ctx context.Context, namespace, kind, name string) (o owner, ok bool, err error) {
	resource, known := owners[kind]
	if !known {
		return owner{}, false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	is, err := c.dynamic.Resource(resource).Namespace(translate.Bare(namespace)).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) { // forbidden is no answer: it may be so for a moment only
		return owner{}, false, nil
	}
	if err != nil {
		return owner{}, false, err
	}
	o = ownerFrom(is.Object)
	o.object = is
	return o, true, nil
}
