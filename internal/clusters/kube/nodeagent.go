package kube

import (
	"context"
	"log/slog"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/run/executor/scheduledevents"
)

// How often a node asks what Azure has planned for it, and how long one answer may take: the first takes two minutes.
const (
	eventsEvery    = 5 * time.Second
	eventsPatience = 3 * time.Minute
)

// NodeAgent shows on one node what Azure has planned for its machine, by the conditions that AKS' node-problem-detector
// uses, and lets Azure begin once Muster has emptied the node for it. It knows no server: node and conditions are all they share.
type NodeAgent struct {
	Node   string // as its cluster calls it
	Client *Client
	Events scheduledevents.Reader
	Log    *slog.Logger
	Now    func() time.Time

	machine  string
	approved map[string]bool // events that were approved
}

// Run does turns until ctx ends. What fails is logged once in a row, and tried again.
func (a *NodeAgent) Run(ctx context.Context) error {
	failed := ""
	for {
		err := a.Turn(ctx)
		if err != nil && ctx.Err() == nil && err.Error() != failed {
			a.Log.Warn("what is planned for this node could not be looked at", "node", a.Node, "why", err)
		}
		if failed = ""; err != nil {
			failed = err.Error()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(eventsEvery):
		}
	}
}

// Turn looks once, shows what it sees, and approves what the node is empty for.
func (a *NodeAgent) Turn(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, eventsPatience)
	defer cancel()
	if a.machine == "" {
		if a.machine, err = a.Events.Machine(ctx); err != nil {
			return err
		}
	}
	planned, err := a.Events.Look(ctx)
	if err != nil {
		return err
	}
	var is corev1.Node
	if err := a.Client.core.Get().Resource("nodes").Name(a.Node).Do(ctx).Into(&is); err != nil {
		return err
	}
	mine := planned.Of(a.machine)
	if err := a.show(ctx, &is, mine); err != nil {
		return err
	}
	return a.approve(ctx, &is, mine)
}

// show lets the node have a condition for each kind of event.
func (a *NodeAgent) show(ctx context.Context, is *corev1.Node, mine []scheduledevents.Event) error {
	var list []corev1.NodeCondition
	for _, kind := range translate.Events {
		was := conditionNamed(is, translate.EventCondition(kind))
		if next := a.conditionOf(kind, mine, was); was == nil && next.Status == corev1.ConditionTrue || was != nil && (was.Status != next.Status || was.Message != next.Message) {
			list = append(list, next)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return a.Client.patchNode(ctx, a.Node, types.StrategicMergePatchType, map[string]any{"status": map[string]any{"conditions": list}}, "status")
}

// conditionOf is what the node says of a kind of event; of several the first.
func (a *NodeAgent) conditionOf(kind string, mine []scheduledevents.Event, was *corev1.NodeCondition) corev1.NodeCondition {
	c := corev1.NodeCondition{
		Type: corev1.NodeConditionType(translate.EventCondition(kind)), Status: corev1.ConditionFalse, Reason: "No" + kind + "Scheduled",
		Message: "Azure has scheduled none", LastHeartbeatTime: metav1.Time{Time: a.Now()}, LastTransitionTime: metav1.Time{Time: a.Now()},
	}
	for _, e := range mine {
		if e.Kind == kind {
			c.Status, c.Reason, c.Message = corev1.ConditionTrue, kind+"Scheduled", translate.EventMessage(e.ID, a.momentOf(e, was), e.Lasts, e.Says)
			break
		}
	}
	return c
}

// momentOf is when an event begins. One that has begun has no moment any more: what was said of it stays said.
func (a *NodeAgent) momentOf(e scheduledevents.Event, was *corev1.NodeCondition) time.Time {
	if !e.NotBefore.IsZero() {
		return e.NotBefore
	}
	if at, ok := translate.EventMoment(was, e.ID); ok {
		return at
	}
	return a.Now()
}

// approve lets Azure begin the events for which the node is empty.
func (a *NodeAgent) approve(ctx context.Context, is *corev1.Node, mine []scheduledevents.Event) error {
	drained := conditionNamed(is, translate.StageDrained)
	if drained == nil || drained.Status != corev1.ConditionTrue {
		return nil
	}
	for _, e := range mine {
		name := translate.EventNotice(a.Node, e.ID, e.NotBefore)
		if e.State != scheduledevents.Scheduled || e.NotBefore.IsZero() || a.approved[e.ID] || !strings.Contains(drained.Message, name) {
			continue
		}
		if err := a.Events.Approve(ctx, e.ID); err != nil {
			return err
		}
		if a.approved == nil {
			a.approved = map[string]bool{}
		}
		a.approved[e.ID] = true
		a.Log.Info("the node is empty, and Azure may begin", "node", a.Node, "event", e.ID, "kind", e.Kind)
	}
	return nil
}

// conditionNamed is a node's condition of a type; nil: it has none.
func conditionNamed(n *corev1.Node, kind string) *corev1.NodeCondition {
	for i := range n.Status.Conditions {
		if string(n.Status.Conditions[i].Type) == kind {
			return &n.Status.Conditions[i]
		}
	}
	return nil
}
