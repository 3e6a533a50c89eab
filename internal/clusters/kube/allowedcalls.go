package kube

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/muster-fleet/muster/internal/clusters/kube/kueue"
)

// Mode is how far an agent lets the server go on its cluster. The zero value lets it read.
type Mode struct {
	Manage bool // start, place and stop work with a target, and mark nodes
	Kueue  bool // write what backs quotas to Kueue's queues
	Fence  bool // take silent nodes out of service
}

// aim is what a call is about, as its path says.
type aim struct {
	group, resource, namespace, name, part string
}

// segments are paths that are written in one way only: no escapes, no dots that lead elsewhere.
var segments = regexp.MustCompile(`^(/[A-Za-z0-9][A-Za-z0-9.:_-]*)+$`)

// aimOf reads a path of an API server; ok is false for one that is none of its objects.
func aimOf(path string) (a aim, ok bool) {
	if len(path) > 1000 || !segments.MatchString(path) || strings.Contains(path, "..") {
		return a, false
	}
	parts := strings.Split(path[1:], "/")
	switch {
	case parts[0] == "api" && len(parts) > 2 && parts[1] == "v1":
		parts = parts[2:]
	case parts[0] == "apis" && len(parts) > 3:
		a.group, parts = parts[1], parts[3:]
	default:
		return a, false
	}
	if parts[0] == "namespaces" && len(parts) > 2 {
		a.namespace, parts = parts[1], parts[2:]
	}
	if a.resource = parts[0]; len(parts) > 1 {
		a.name = parts[1]
	}
	if len(parts) > 2 {
		a.part = strings.Join(parts[2:], "/")
	}
	return a, true
}

// kind is a resource with its group.
func (a aim) kind() string {
	if a.group == "" {
		return a.resource
	}
	return a.resource + "." + a.group
}

// readable are the kinds that the server reads. Secrets, config maps and logs are none of them.
var readable = []string{
	"nodes", "pods", "resourcequotas", "namespaces",
	"resourceslices.resource.k8s.io", "resourceclaims.resource.k8s.io", "resourceclaimtemplates.resource.k8s.io", "deviceclasses.resource.k8s.io",
	"clusterqueues.kueue.x-k8s.io", "localqueues.kueue.x-k8s.io", "resourceflavors.kueue.x-k8s.io", "cohorts.kueue.x-k8s.io", "workloads.kueue.x-k8s.io",
	"jobs.batch", "jobsets.jobset.x-k8s.io", "deployments.apps", "statefulsets.apps", "leaderworkersets.leaderworkerset.x-k8s.io", "rayclusters.ray.io", "mpijobs.kubeflow.org",
}

// readByName are kinds of which the server reads single objects: what a blueprint calls services, and what says who
// the author of a workload is.
var readByName = []string{
	"validatingadmissionpolicies.admissionregistration.k8s.io", "validatingadmissionpolicybindings.admissionregistration.k8s.io",
	"replicasets.apps", "cronjobs.batch", "rayjobs.ray.io", "rayservices.ray.io", "trainjobs.trainer.kubeflow.org",
	"daemonsets.apps", "applications.argoproj.io", "kustomizations.kustomize.toolkit.fluxcd.io", "helmreleases.helm.toolkit.fluxcd.io",
}

// readable says whether a call may read what it is about.
func (a aim) readable() bool {
	switch {
	case a.part != "":
		return false
	case a.kind() == "podtemplates":
		return (a.namespace == ValidationNamespace || a.namespace == VisitNamespace) && a.name != ""
	}
	return slices.Contains(readable, a.kind()) || a.name != "" && slices.Contains(readByName, a.kind())
}

// health are the paths beside those of objects.
var health = []string{"/livez", "/readyz", "/version"}

// mostWritten bounds the body of a call, in bytes.
const mostWritten = 1 << 20

// door says which calls of a server an agent passes on. It is all that a server that was
// taken over can do: see, and start and stop work that has a target.
type door struct {
	Mode
	client *Client

	mu      sync.Mutex
	managed map[string]bool // objects that have a target, by kind, place and UID
}

// bars says why a call may not pass; "": it may. The body of one that may is whole again.
func (d *door) bars(r *http.Request) string {
	path := r.URL.Path
	if r.Header.Get("Upgrade") != "" || strings.EqualFold(r.Header.Get("Connection"), "upgrade") {
		return "the agent lets nothing through that is more than a call"
	}
	if r.URL.RawPath != "" && r.URL.RawPath != path {
		return "the agent lets no path through that is written in two ways"
	}
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	if reads && slices.Contains(health, path) {
		return ""
	}
	a, ok := aimOf(path)
	switch {
	case !ok:
		return fmt.Sprintf("the agent lets no call of %.200q through", path)
	case reads && a.readable():
		return ""
	case reads:
		return fmt.Sprintf("the agent does not let %.200q be read", path)
	case !d.Manage && !d.Kueue:
		return "the agent was started with --observe, and lets nothing be written"
	}
	return d.barsWrite(r, a)
}

// barsWrite says why a call may not write.
func (d *door) barsWrite(r *http.Request, a aim) string {
	if a.name == "" && a.kind() != "events" && !a.makesJobs() || system(a.namespace) {
		return fmt.Sprintf("the agent does not let %.200q be written", r.URL.Path)
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, mostWritten+1))
	if err != nil || len(body) > mostWritten {
		return "the agent lets no call through that cannot be read, or has more than 1 MiB"
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	w := write{aim: a, method: r.Method, kind: r.Header.Get("Content-Type"), body: body, mode: d.Mode}
	if why := w.bars(); why != "" {
		return "the agent lets " + r.Method + " of " + a.kind() + " through only as Muster makes it: " + why
	}
	return d.barsObject(r.Context(), w)
}

// system says whether a namespace is of the cluster itself, or of Muster.
func system(namespace string) bool {
	return strings.HasPrefix(namespace, "kube-") || namespace == "muster" || strings.HasPrefix(namespace, "muster-system")
}

// targeted are the kinds of which only those may be changed that have a target.
var targeted = []string{"pods", "jobs.batch", "jobsets.jobset.x-k8s.io"}

// barsObject says why the object itself may not be changed, as it stands now.
func (d *door) barsObject(ctx context.Context, w write) string {
	switch {
	case w.aim == validationJobsAim:
		return d.barsValidation(ctx, w)
	case w.aim == visitJobsAim:
		return d.barsVisit(ctx, w)
	case slices.Contains(targeted, w.aim.kind()):
		return d.barsWithoutTarget(ctx, w)
	case w.aim.kind() == "nodes" && w.aim.part == "":
		return d.barsTaints(ctx, w)
	}
	return ""
}

// mostManaged is how many objects are remembered to have a target.
const mostManaged = 20_000

// barsWithoutTarget asks the cluster itself whether an object has a target.
func (d *door) barsWithoutTarget(ctx context.Context, w write) string {
	key := w.aim.kind() + "/" + w.aim.namespace + "/" + w.aim.name + "/" + w.uid()
	d.mu.Lock()
	known := d.managed[key]
	d.mu.Unlock()
	if known {
		return ""
	}
	has, err := d.hasTarget(ctx, w.aim)
	switch {
	case notThere(err) != nil:
		return "the agent cannot see whether it has a target: " + err.Error()
	case err != nil:
		return "" // it is gone: the API server says so
	case !has:
		return fmt.Sprintf("the agent lets only work be changed that has a target, and %s %s/%s has none", w.aim.resource, w.aim.namespace, w.aim.name)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.managed == nil || len(d.managed) >= mostManaged {
		d.managed = map[string]bool{}
	}
	d.managed[key] = true
	return ""
}

// targetKey is the label, or the annotation, by which work is Muster's.
var targetKey = []byte(`"muster.dev/target"`)

func (d *door) hasTarget(ctx context.Context, a aim) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if a.kind() == "pods" {
		var is corev1.Pod
		if err := d.client.core.Get().Namespace(a.namespace).Resource("pods").Name(a.name).Do(ctx).Into(&is); err != nil {
			return false, err
		}
		_, label := is.Labels["muster.dev/target"]
		_, note := is.Annotations["muster.dev/target"]
		return label || note, nil
	}
	for _, of := range owners {
		if of.Group == a.group && of.Resource == a.resource {
			is, err := d.client.dynamic.Resource(of).Namespace(a.namespace).Get(ctx, a.name, getOptions)
			if err != nil {
				return false, err
			}
			return mentionsTarget(is), nil
		}
	}
	return false, nil
}

// mentionsTarget says whether an object, or what it makes, has a target.
func mentionsTarget(of *unstructured.Unstructured) bool {
	data, err := of.MarshalJSON()
	return err == nil && bytes.Contains(data, targetKey)
}

// barsTaints sees to it that only Muster's own taints come and go.
func (d *door) barsTaints(ctx context.Context, w write) string {
	want, given := w.taints()
	if !given {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var is corev1.Node
	if err := d.client.core.Get().Resource("nodes").Name(w.aim.name).Do(ctx).Into(&is); err != nil {
		if notThere(err) == nil {
			return ""
		}
		return "the agent cannot see the node's taints: " + err.Error()
	}
	if !slices.Equal(foreignTaints(is.Spec.Taints, d.Fence), foreignTaints(want, d.Fence)) {
		return "the agent lets only Muster's own taints come and go"
	}
	return ""
}

// kueueWritten are the kinds that are written in mode kueue.
var kueueWritten = []string{"clusterqueues." + kueue.Group, "cohorts." + kueue.Group}
