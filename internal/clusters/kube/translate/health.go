package translate

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/muster-fleet/muster/internal/decide/health/adapt"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// mostConditions bounds how many conditions of one node are read.
const mostConditions = 64

// mostText is how long a text from an object may be.
const mostText = 1000

// signalsOf reads the conditions of a node, in order of type.
func signalsOf(n *corev1.Node) []fleet.Signal {
	conditions := slices.Clone(n.Status.Conditions)
	if !slices.ContainsFunc(conditions, func(c corev1.NodeCondition) bool { return c.Type == corev1.NodeReady }) {
		conditions = append(conditions, corev1.NodeCondition{ // no kubelet has spoken yet
			Type: corev1.NodeReady, Status: corev1.ConditionUnknown, LastTransitionTime: n.CreationTimestamp, Message: "the node has not reported yet",
		})
	}
	slices.SortFunc(conditions, func(a, b corev1.NodeCondition) int { return cmp.Compare(a.Type, b.Type) })
	signals := make([]fleet.Signal, 0, min(len(conditions), mostConditions))
	for i, c := range conditions {
		if i > 0 && conditions[i-1].Type == c.Type || c.Type == "" || own(c) || len(signals) == mostConditions {
			continue
		}
		s, ok := adapt.FromCondition(adapt.NodeCondition{
			Node: n.Name, Type: Clip(string(c.Type)), Status: string(c.Status), Reason: Clip(c.Reason), Message: Clip(c.Message),
			Since: instantOf(c.LastTransitionTime.Time),
		})
		if ok {
			signals = append(signals, s)
		}
	}
	return signals
}

// The taint by which Kubernetes takes away pods that wait for a silent kubelet, and its
// value where Muster has set it.
const (
	OutOfService = "node.kubernetes.io/out-of-service"
	FencedBy     = "muster"
)

// marks reads what people and machines have marked the node with.
func (n *Node) marks(of *corev1.Node, o *Options) {
	if of.Spec.Unschedulable {
		n.Cordoned = "cordoned"
	} else if kind := takenOut(of); kind != "" {
		n.Cordoned = kind
	}
	n.Mark, n.Stage = markOf(of), stageOf(of)
	n.Silent = silentSince(of)
	n.Fenced = slices.ContainsFunc(of.Spec.Taints, func(t corev1.Taint) bool { return t.Key == OutOfService && t.Value == FencedBy })
	for _, t := range of.Spec.Taints {
		if t.Effect != corev1.TaintEffectPreferNoSchedule && o.breaks(t.Key) && !ownTaint(of, t.Key) && (n.Broken == "" || t.Key < n.Broken) {
			n.Broken = Clip(t.Key)
		}
	}
}

// silentSince is when a node's kubelet was last known to answer, if it does not: then
// the node's controller says that it is not known whether the node is ready. A kubelet
// that says no is there, and still answers for its pods.
func silentSince(of *corev1.Node) fleet.Instant {
	for _, c := range of.Status.Conditions {
		if c.Type == corev1.NodeReady && c.Status == corev1.ConditionUnknown {
			return max(1, instantOf(c.LastTransitionTime.Time))
		}
	}
	return 0
}

// instantOf is a moment of the cluster's clock; 0 where it has none.
func instantOf(t time.Time) fleet.Instant {
	if t.IsZero() || t.Year() < 1971 || t.Year() > 2200 {
		return 0
	}
	return fleet.InstantOf(t)
}

// Clip bounds a text from an object, and makes it valid.
func Clip(s string) string {
	return text.Bound(toValid(s), mostText)
}

// State is the node's state as the cluster shows it, by the rules of a health
// policy, and why: for clusters on which nothing is decided. Rules that count
// sights over time are left out: only the present is known here.
func (n *Node) State(rules []fleet.HealthRule, now fleet.Instant) (state fleet.NodeState, dead int, why string) {
	state = fleet.Healthy
	if n.Cordoned != "" {
		state, why = fleet.Suspect, n.Cordoned
	}
	for _, s := range n.Signals {
		if then := asked(rules, s, now); worse(then, state) {
			state, why = then, s.Check
			if s.Message != "" {
				why += ": " + s.Message
			}
		}
	}
	if n.Broken != "" && worse(fleet.Quarantined, state) {
		state, why = fleet.Quarantined, "taint "+n.Broken
	}
	switch {
	case n.Dead >= n.GPUs && worse(fleet.Quarantined, state):
		state, why = fleet.Quarantined, "no GPU is offered"
	case n.Dead > 0 && n.Dead < n.GPUs && !worse(state, fleet.Degraded):
		state, why = fleet.Degraded, "some GPUs are not offered"
	case state == fleet.Degraded && n.Dead == 0:
		state = fleet.Suspect // it does not say how many
	}
	if state == fleet.Degraded {
		dead = n.Dead
	}
	return state, dead, why
}

// asked is the worst that a policy asks for because of one signal, now.
func asked(rules []fleet.HealthRule, s fleet.Signal, now fleet.Instant) fleet.NodeState {
	if s.Well {
		return ""
	}
	c := &fleet.Condition{Agent: s.Agent, Check: s.Check, Codes: s.Codes, Fatal: s.Fatal, Action: s.Action}
	worst := fleet.NodeState("")
	for i := range rules {
		r := &rules[i]
		if !r.Knows(c) || r.Times > 1 || now < s.At.Add(r.Lasts) || r.Quiet > 0 && now >= s.At.Add(r.Quiet) {
			continue
		}
		if r.Then == "" {
			break // it excuses the node
		}
		if worse(r.Then, worst) {
			worst = r.Then
		}
	}
	return worst
}

func worse(a, b fleet.NodeState) bool { return a.Severity() > b.Severity() }
