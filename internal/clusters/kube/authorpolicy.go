package kube

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file says from when on the author that an object names is a fact: while the policy muster-author
// and its binding are there. They are made by administrators of the cluster alone, and with them the API
// server refuses every object that names another user than the one who asked for it.

const (
	authorPolicy = "muster-author" // and its binding
	// authorsKnown is how much later than the policy an object must be made: an API server takes a
	// moment to hear of a policy, and several API servers do not have one clock.
	authorsKnown = 15 * time.Second
	// authorsAgain is after how long the policy is asked for again that was not there. It is shorter than
	// authorsKnown, so no author is missed by that.
	authorsAgain = 10 * time.Second
)

// inForce is from when on authors are facts; ok is false where they are none.
func (c *authorController) inForce(ctx context.Context) (since fleet.Instant, ok bool) {
	if c.Now() < c.absent {
		return 0, false
	}
	policy, err := c.client.admissionOf(ctx, "validatingadmissionpolicies")
	if err != nil || policy == nil || !guards(policy) {
		c.notInForce(err)
		return 0, false
	}
	binding, err := c.client.admissionOf(ctx, "validatingadmissionpolicybindings")
	if err != nil || binding == nil || !binds(binding) {
		c.notInForce(err)
		return 0, false
	}
	began := max(fleet.InstantOf(policy.GetCreationTimestamp().Time), fleet.InstantOf(binding.GetCreationTimestamp().Time))
	return began.Add(authorsKnown), true
}

// notInForce notes that the policy is not there. What could not be asked is asked again at once.
func (c *authorController) notInForce(err error) {
	if err == nil {
		c.absent = c.Now().Add(authorsAgain)
		return
	}
	c.logFailed([]error{err})
}

// admissionOf asks for the policy, or its binding; nil: it is not there, or not shown.
func (c *Client) admissionOf(ctx context.Context, resource string) (*unstructured.Unstructured, error) {
	of := schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: resource}
	return lookUp(ctx, c.dynamic.Resource(of), authorPolicy)
}

// guards says whether the policy judges everything, as author.yaml has it: no part of the cluster is
// excepted, and what it cannot judge is refused.
func guards(policy *unstructured.Unstructured) bool {
	spec, _ := policy.Object["spec"].(map[string]any)
	on, _ := spec["matchConstraints"].(map[string]any)
	return policy.GetDeletionTimestamp() == nil && spec["failurePolicy"] != "Ignore" && spec["matchConditions"] == nil &&
		none(on["namespaceSelector"]) && none(on["objectSelector"]) && on["excludeResourceRules"] == nil
}

// binds says whether the binding lets the policy refuse what it forbids, everywhere.
func binds(binding *unstructured.Unstructured) bool {
	spec, _ := binding.Object["spec"].(map[string]any)
	actions, _ := spec["validationActions"].([]any)
	return binding.GetDeletionTimestamp() == nil && spec["policyName"] == authorPolicy && spec["matchResources"] == nil &&
		slices.Contains(actions, any("Deny"))
}

// none says whether a selector selects everything.
func none(selector any) bool {
	is, _ := selector.(map[string]any)
	return len(is) == 0
}
