package kube

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file says from when on the author that an object names is a fact: while the policy muster-author
// and its binding are there, as author.yaml has them. They are made by administrators of the cluster alone,
// and with them the API server refuses every object that names another user than the one who asked for it.

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
	return max(c.unchangedSince(policy), c.unchangedSince(binding)).Add(authorsKnown), true
}

// changed is an object as some change of its spec left it: API servers count these.
type changed struct {
	uid types.UID
	by  int64
}

// mostSeen is how many of them are remembered.
const mostSeen = 64

// unchangedSince is from when on an object's spec is what it is now: since it was made, where nothing has changed it; else
// since it was first seen so, for when it was changed no object says.
func (c *authorController) unchangedSince(o *unstructured.Unstructured) fleet.Instant {
	if o.GetGeneration() == 1 {
		return fleet.InstantOf(o.GetCreationTimestamp().Time)
	}
	is := changed{o.GetUID(), o.GetGeneration()}
	since, known := c.seen[is]
	if !known {
		if len(c.seen) >= mostSeen || c.seen == nil {
			c.seen = map[changed]fleet.Instant{}
		}
		since = c.Now()
		c.seen[is] = since
	}
	return since
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

// authorRules is the SHA-256 of what the policy of author.yaml judges, and by which rules.
const authorRules = "0b4c8962bd9247d67bbcbdd395cd93c4ada6c5516594c24f69d9e4f79ade513a"

// rulesOf is that of a policy.
func rulesOf(spec map[string]any) string {
	on, _ := spec["matchConstraints"].(map[string]any)
	rules, _ := json.Marshal([]any{on["resourceRules"], spec["variables"], spec["validations"]}) // what was read as JSON is written as such
	sum := sha256.Sum256(rules)
	return hex.EncodeToString(sum[:])
}

// guards says whether the policy judges everything, by the rules that author.yaml has: no part of the cluster is
// excepted, and what it cannot judge is refused.
func guards(policy *unstructured.Unstructured) bool {
	spec, _ := policy.Object["spec"].(map[string]any)
	on, _ := spec["matchConstraints"].(map[string]any)
	return policy.GetDeletionTimestamp() == nil && spec["failurePolicy"] != "Ignore" && spec["matchConditions"] == nil && spec["paramKind"] == nil &&
		none(on["namespaceSelector"]) && none(on["objectSelector"]) && on["excludeResourceRules"] == nil && on["matchPolicy"] != "Exact" && rulesOf(spec) == authorRules
}

// binds says whether the binding lets the policy refuse what it forbids, everywhere.
func binds(binding *unstructured.Unstructured) bool {
	spec, _ := binding.Object["spec"].(map[string]any)
	actions, _ := spec["validationActions"].([]any)
	return binding.GetDeletionTimestamp() == nil && spec["policyName"] == authorPolicy && spec["matchResources"] == nil && spec["paramRef"] == nil &&
		slices.Contains(actions, any("Deny"))
}

// none says whether a selector selects everything.
func none(selector any) bool {
	is, _ := selector.(map[string]any)
	return len(is) == 0
}
