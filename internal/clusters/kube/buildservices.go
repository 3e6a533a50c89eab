package kube

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// serviceKind is a kind of object whose own status says whether a service is deployed.
type serviceKind struct {
	group, resource string
	versions        []string
	missing         func(*unstructured.Unstructured) string // what is missing; "": nothing
}

// serviceKinds are the kinds that blueprints may name, as KIND/NAMESPACE/NAME.
var serviceKinds = map[string]serviceKind{
	"deployment":    {"apps", "deployments", []string{"v1"}, missingOfDeployment},
	"statefulset":   {"apps", "statefulsets", []string{"v1"}, missingOfStatefulSet},
	"daemonset":     {"apps", "daemonsets", []string{"v1"}, missingOfDaemonSet},
	"job":           {"batch", "jobs", []string{"v1"}, missingOfJob},
	"application":   {"argoproj.io", "applications", []string{"v1alpha1"}, missingOfApplication},
	"kustomization": {"kustomize.toolkit.fluxcd.io", "kustomizations", []string{"v1", "v1beta2"}, missingOfFlux},
	"helmrelease":   {"helm.toolkit.fluxcd.io", "helmreleases", []string{"v2", "v2beta2"}, missingOfFlux},
}

// servicesOf says whether all services are deployed, and what is missing. What may not be read
// is an error: it is not known.
func (c *Client) servicesOf(ctx context.Context, services []string) (bool, string, error) {
	var missing []string
	for _, service := range services {
		text, err := c.serviceOf(ctx, service)
		if err != nil {
			return false, "", fmt.Errorf("service %s: %w", service, err)
		}
		if text != "" {
			missing = append(missing, service+" "+text)
		}
	}
	if len(missing) > 0 {
		return false, strings.Join(firstOf(missing), "; "), nil
	}
	return true, fmt.Sprintf("services that are deployed: %d of %d", len(services), len(services)), nil
}

// serviceOf says what one service lacks; "": nothing.
func (c *Client) serviceOf(ctx context.Context, service string) (string, error) {
	word, place, _ := strings.Cut(service, "/")
	namespace, name, both := strings.Cut(place, "/")
	kind, known := serviceKinds[strings.ToLower(word)]
	if !known || !both || name == "" || strings.Contains(name, "/") {
		return "is no KIND/NAMESPACE/NAME of deployment, statefulset, daemonset, job, application, kustomization or helmrelease; add a version of the blueprint that says so", nil
	}
	for _, version := range kind.versions {
		at := schema.GroupVersionResource{Group: kind.group, Version: version, Resource: kind.resource}
		is, err := c.dynamic.Resource(at).Namespace(namespace).Get(ctx, name, getOptions)
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			return "", err
		default:
			return kind.missing(is), nil
		}
	}
	return "is not there", nil
}

// countIn is a count that an object says; an absent one counts as what is usual.
func countIn(of *unstructured.Unstructured, usual int64, path ...string) int64 {
	if n, found, err := unstructured.NestedInt64(of.Object, path...); found && err == nil {
		return n
	}
	return usual
}

// unseen says whether an object's status is of an earlier generation.
func unseen(of *unstructured.Unstructured) bool {
	return countIn(of, 0, "status", "observedGeneration") < of.GetGeneration()
}

const notSeen = "has a status of an earlier generation"

func missingOfDeployment(of *unstructured.Unstructured) string {
	want := countIn(of, 1, "spec", "replicas")
	have := min(countIn(of, 0, "status", "updatedReplicas"), countIn(of, 0, "status", "availableReplicas"))
	return missingPods(of, have, want)
}

func missingOfStatefulSet(of *unstructured.Unstructured) string {
	want := countIn(of, 1, "spec", "replicas")
	have := min(countIn(of, want, "status", "updatedReplicas"), countIn(of, 0, "status", "readyReplicas"))
	return missingPods(of, have, want)
}

func missingOfDaemonSet(of *unstructured.Unstructured) string {
	want := countIn(of, 0, "status", "desiredNumberScheduled")
	if want == 0 && !unseen(of) {
		return "is wanted on no node"
	}
	have := min(countIn(of, 0, "status", "updatedNumberScheduled"), countIn(of, 0, "status", "numberAvailable"))
	return missingPods(of, have, want)
}

func missingPods(of *unstructured.Unstructured, have, want int64) string {
	switch {
	case unseen(of):
		return notSeen
	case have < want:
		return fmt.Sprintf("has %d of %d pods", have, want)
	}
	return ""
}

func missingOfJob(of *unstructured.Unstructured) string {
	switch end := endOf(of); {
	case end.well:
		return ""
	case end.over:
		return "failed: " + end.says
	}
	return "has not ended"
}

func missingOfApplication(of *unstructured.Unstructured) string {
	health, _, _ := unstructured.NestedString(of.Object, "status", "health", "status")
	sync, _, _ := unstructured.NestedString(of.Object, "status", "sync", "status")
	if health == "Healthy" && sync == "Synced" {
		return ""
	}
	text := "is " + strings.Join(strings.Fields("health:"+health+" sync:"+sync), ", ")
	if said, _, _ := unstructured.NestedString(of.Object, "status", "operationState", "message"); said != "" {
		text += " (" + said + ")"
	}
	return text
}

func missingOfFlux(of *unstructured.Unstructured) string {
	is := conditionIn(of, "Ready")
	switch {
	case is == nil || unseen(of):
		return notSeen
	case is["status"] == "True":
		return ""
	}
	return fmt.Sprintf("is not ready: %v: %v", is["reason"], is["message"])
}
