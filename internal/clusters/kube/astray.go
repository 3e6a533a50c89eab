package kube

import (
	"context"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
)

// This file is about pods that name a target of Muster's and run without it.

// astray says of a pod that names a target and does not wait for Muster why that is.
func astray(p *translate.Pod, enrolled map[string]bool) podCondition {
	if enrolled != nil && !enrolled[translate.Bare(p.Namespace)] {
		return podCondition{reason: "NotEnrolled", message: "It names a target of Muster's, but its namespace is not enrolled (label " + labelEnrolled +
			"=true): it runs without Muster, counts for no quota, and nothing is promised on its node."}
	}
	return podCondition{reason: "NotGated", message: "It names a target of Muster's, but was not made to wait for it (scheduling gate " + translate.Gate +
		"): it was made before its namespace was enrolled, or while admission let pods pass. It runs without Muster and counts for no quota; make it anew."}
}

// sayAstray tells such pods so, once each: in their condition, and by an event.
func (c *conditionController) sayAstray(p Snapshot) (calls []func(context.Context) error) {
	enrolled := c.watch.extras.enrolled()
	for i := range p.Astray {
		pod := p.Astray[i]
		is := astray(&pod, enrolled)
		if pod.Leaving || pod.Admitted == is.message || len(calls) >= mostSaid {
			continue
		}
		calls = append(calls, func(ctx context.Context) error {
			if err := c.client.Say(ctx, pod, false, is.reason, is.message, c.Now().Time()); err != nil {
				return err
			}
			return c.client.Note(ctx, pod, is.reason, is.message, c.Now().Time())
		})
	}
	return calls
}
