package kube

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// ValidationNamespace is where a cluster's people keep the pod template of each blueprint, by its
// name, with which nodes are validated, and where those Jobs run. A Job that passed is the
// record of its node, so it is kept.
const ValidationNamespace = "muster-validation"

// What the Jobs of validation say of themselves.
const (
	labelValidation = "muster.dev/validation" // of Jobs and their pods
	noteOrder       = "muster.dev/operation"
	noteNodeUID     = "muster.dev/node-uid"
)

// leastValidation is how long the validation of a node may take at least.
const leastValidation = time.Hour

// validation is how the nodes of a cluster stand in their validation.
type validation struct {
	census
	passed, live, tried map[string]bool   // by the UID of the node; tried: by this order
	says                map[string]string // by the UID of the node: what its Job said last
}

// validationJobOf is the Job that validates a node for an order. A machine that is made anew has
// another UID, and is validated anew.
func validationJobOf(o provision.Order, n countedNode) nodeJob {
	sum := sha256.Sum256([]byte(o.ID + "\n" + n.uid))
	tells := map[string]string{"muster.dev/blueprint": fmt.Sprintf("%s/%d", o.Blueprint.Name, o.Blueprint.Version), "muster.dev/cluster": o.Record.Name}
	return nodeJob{
		name: "validate-" + hex.EncodeToString(sum[:10]), namespace: ValidationNamespace, template: o.Blueprint.Name, node: n.name,
		labels: map[string]string{labelValidation: "true"}, notes: with(tells, map[string]string{noteOrder: o.ID, noteNodeUID: n.uid}), tells: tells,
		lasts: max(leastValidation, patienceX*o.Blueprint.Takes[fleet.StepValidation]),
	}
}

// findValidation says how the validation of an order stands. It has not begun while a node
// waits for its Job: begin makes those that are missing.
func (c *Client) findValidation(ctx context.Context, o provision.Order, running provision.Report) (provision.Report, bool, error) {
	n, err := c.census(ctx, &o.Record)
	if err != nil {
		return running, false, err
	}
	if enough, short := n.enough(&o.Record, &o.Blueprint); !enough {
		running.Error = short
		return running, true, nil
	}
	v, err := c.validated(ctx, n, o.ID)
	if err != nil || len(v.waiting()) > 0 {
		return running, false, err
	}
	enough, says := v.enough(&o.Record, &o.Blueprint)
	switch {
	case len(v.live) > 0:
		running.Error = fmt.Sprintf("nodes that are being validated: %d; that have passed: %d", len(v.live), len(v.passed))
	case enough:
		running.State, running.Detail = fleet.OperationSucceeded, says
	default:
		running.State, running.Error = fleet.OperationFailed, says
	}
	return running, true, nil
}

// beginValidation makes the Jobs that are missing.
func (c *Client) beginValidation(ctx context.Context, o provision.Order) (provision.Report, error) {
	n, err := c.census(ctx, &o.Record)
	if err != nil {
		return provision.Report{}, err
	}
	v, err := c.validated(ctx, n, o.ID)
	if err != nil {
		return provision.Report{}, err
	}
	template, err := c.podTemplate(ctx, ValidationNamespace, o.Blueprint.Name)
	if err != nil {
		return provision.Report{}, unmended(err)
	}
	for _, n := range v.waiting() {
		if err := validationJobOf(o, n).make(ctx, c, template); err != nil {
			return provision.Report{}, unmended(err)
		}
	}
	return provision.Report{State: fleet.OperationRunning, Link: fleet.LinkKubernetes + o.Record.Name}, nil
}

// unmended lets an error that no second try mends wait for a change.
func unmended(err error) error {
	if apierrors.IsNotFound(err) {
		err = fmt.Errorf("%w; make it on the cluster: its pod says by its exit whether the node is good", err)
	}
	if lastsForever(err) {
		return &provision.Refused{Class: fleet.ErrorFix, Err: err}
	}
	return err
}

// validated reads what the Jobs say of a cluster's nodes. order: whose Jobs count as tried.
func (c *Client) validated(ctx context.Context, n census, order string) (validation, error) {
	v := validation{n, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]string{}}
	chosen := metav1.ListOptions{LabelSelector: labelValidation + "=true"}
	jobs, err := c.dynamic.Resource(owners["Job"]).Namespace(ValidationNamespace).List(ctx, chosen)
	if err != nil {
		return v, fmt.Errorf("the Jobs of %s: %w", ValidationNamespace, err)
	}
	var pods corev1.PodList
	if err := c.core.Get().Namespace(ValidationNamespace).Resource("pods").Param("labelSelector", chosen.LabelSelector).Do(ctx).Into(&pods); err != nil {
		return v, fmt.Errorf("the pods of %s: %w", ValidationNamespace, err)
	}
	slices.SortFunc(jobs.Items, func(a, b unstructured.Unstructured) int { // a later one says the last word
		return a.GetCreationTimestamp().Compare(b.GetCreationTimestamp().Time)
	})
	for i := range jobs.Items {
		v.take(&jobs.Items[i], podsOf(&jobs.Items[i], pods.Items), order)
	}
	return v, nil
}

// podsOf are the pods of a Job, by its UID.
func podsOf(job *unstructured.Unstructured, all []corev1.Pod) (list []corev1.Pod) {
	for _, p := range all {
		for _, owner := range p.OwnerReferences {
			if owner.UID == job.GetUID() {
				list = append(list, p)
			}
		}
	}
	return list
}

// take reads one Job. One whose pod ran elsewhere says nothing of its node.
func (v *validation) take(job *unstructured.Unstructured, pods []corev1.Pod, order string) {
	notes := job.GetAnnotations()
	uid, end := notes[noteNodeUID], endOf(job)
	v.tried[uid] = v.tried[uid] || order != "" && notes[noteOrder] == order
	if !end.over {
		v.live[uid] = true
		return
	}
	says := resultOf(pods)
	for _, p := range pods {
		if p.Spec.NodeName != "" && p.Spec.NodeName != notes["muster.dev/node"] {
			end.well, says = false, "its pod ran on "+p.Spec.NodeName
		}
	}
	if end.well {
		v.passed[uid] = true
	}
	if says == "" {
		says = end.says
	}
	v.says[uid] = says
}

// resultOf is how the containers of a Job's pods have ended: their messages, and exits that are not 0.
func resultOf(pods []corev1.Pod) string {
	var list []string
	for _, p := range pods {
		for _, c := range p.Status.ContainerStatuses {
			is := c.State.Terminated
			if is == nil {
				continue
			}
			text := strings.TrimSpace(is.Message)
			if is.ExitCode != 0 {
				text = strings.TrimSpace(fmt.Sprintf("exit %d %s", is.ExitCode, text))
			}
			if text != "" {
				list = append(list, text)
			}
		}
	}
	return strings.Join(list, ", ")
}

// waiting are the nodes that are ready, have not passed, and have no Job of the order.
func (v *validation) waiting() (list []countedNode) {
	for _, n := range v.nodes {
		if n.ready && !v.passed[n.uid] && !v.tried[n.uid] {
			list = append(list, n)
		}
	}
	return list
}

// enough says whether the wanted share of each island's nodes has passed; what the Jobs said
// is the record.
func (v *validation) enough(r *fleet.ClusterRecord, b *fleet.Blueprint) (bool, string) {
	enough, text := v.share(r, b, "validated", func(n countedNode) bool { return v.passed[n.uid] })
	var failed, said []string
	for _, n := range v.nodes {
		switch says := v.says[n.uid]; {
		case says == "":
		case v.passed[n.uid]:
			said = append(said, n.name+": "+says)
		default:
			failed = append(failed, n.name+" failed: "+says)
		}
	}
	slices.Sort(failed)
	slices.Sort(said)
	return enough, strings.Join(slices.Concat([]string{text}, firstOf(failed), firstOf(said)), "; ")
}
