package translate

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Announced is a maintenance that others say a node is to have.
type Announced struct {
	By     string // who says so: azure, kured or gpu-operator
	ID     string // tells it from others of the same node
	Impact fleet.Impact
	At     fleet.Instant // not before; 0: now
	Lasts  time.Duration
}

// Name is the name of the notice of an announced maintenance of a node. One that moves is another one.
func (a Announced) Name(node string) string {
	sum := sha256.Sum256([]byte(node + "/" + a.ID + "/" + a.At.Time().UTC().Format(time.RFC3339)))
	return a.By + "-" + hex.EncodeToString(sum[:6])
}

// azures are the conditions by which a node of Azure says that something is scheduled: what becomes of it, how long it
// takes at most as a rule, and how long before Azure says so. AKS' node-problem-detector and `muster agent --node` set them.
var azures = map[string]struct {
	impact       fleet.Impact
	lasts, ahead time.Duration
}{
	"FreezeScheduled":    {fleet.ImpactFreeze, time.Minute, 15 * time.Minute},
	"RebootScheduled":    {fleet.ImpactRestart, 10 * time.Minute, 15 * time.Minute},
	"RedeployScheduled":  {fleet.ImpactReplace, 15 * time.Minute, 10 * time.Minute},
	"PreemptScheduled":   {fleet.ImpactReplace, time.Hour, 30 * time.Second},
	"TerminateScheduled": {fleet.ImpactReplace, time.Hour, 5 * time.Minute},
	anyEvent:             {fleet.ImpactRestart, 10 * time.Minute, 15 * time.Minute},
}

// anyEvent is said besides the kind of an event, or where it is not known.
const anyEvent = "VMEventScheduled"

// Events are the kinds of Azure's events, as their conditions begin.
var Events = []string{"Freeze", "Reboot", "Redeploy", "Preempt", "Terminate"}

// EventCondition is the type of the condition of a kind of event.
func EventCondition(kind string) string { return kind + "Scheduled" }

// EventMessage is what a node says of an event in the message of its condition.
func EventMessage(id string, at time.Time, lasts time.Duration, says string) string {
	return id + " not before " + at.UTC().Format(time.RFC3339) + " lasts " + lasts.String() + "; " + says
}

// EventNotice is the name of the notice that follows from an event of a node.
func EventNotice(node, id string, at time.Time) string {
	return Announced{By: "azure", ID: id, At: instantOf(at.UTC().Truncate(time.Second))}.Name(node)
}

// EventMoment is the moment that a condition tells of an event; false: it tells of none, or of another one.
func EventMoment(c *corev1.NodeCondition, id string) (time.Time, bool) {
	if c == nil {
		return time.Time{}, false
	}
	m := eventMessage.FindStringSubmatch(c.Message)
	if len(m) == 0 || m[1] != id {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339, m[2])
	return at, err == nil
}

var eventMessage = regexp.MustCompile(`^([0-9A-Za-z-]{1,64}) not before (\S+) lasts (\S+); `)

// announcedOf lists what others say that a node is to have.
func announcedOf(n *corev1.Node) (list []Announced) {
	known := false
	for _, c := range n.Status.Conditions {
		if _, azure := azures[string(c.Type)]; azure && c.Status == corev1.ConditionTrue && string(c.Type) != anyEvent {
			list, known = append(list, eventOf(c)), true
		}
	}
	for _, c := range n.Status.Conditions {
		if string(c.Type) == anyEvent && c.Status == corev1.ConditionTrue && !known {
			list = append(list, eventOf(c))
		}
	}
	return append(list, drainsOf(n)...)
}

// eventOf is the event that a condition tells of.
func eventOf(c corev1.NodeCondition) Announced {
	kind := azures[string(c.Type)]
	a := Announced{
		By: "azure", ID: string(c.Type) + "/" + c.LastTransitionTime.UTC().Format(time.RFC3339), Impact: kind.impact,
		At: instantOf(c.LastTransitionTime.Add(kind.ahead)), Lasts: kind.lasts,
	}
	if m := eventMessage.FindStringSubmatch(c.Message); m != nil {
		at, err := time.Parse(time.RFC3339, m[2])
		lasts, wrong := time.ParseDuration(m[3])
		if err == nil && wrong == nil {
			a.ID, a.At, a.Lasts = m[1], instantOf(at), max(a.Lasts, lasts)
		}
	}
	return a
}

// What other programs write on a node while they take it out of use for a restart of their own.
const (
	annotationKured  = "weave.works/kured-reboot-in-progress"
	labelDriverState = "nvidia.com/gpu-driver-upgrade-state"
	restartLasts     = 30 * time.Minute
)

// drainsOf lists the programs that are about to restart a node, or its driver.
func drainsOf(n *corev1.Node) (list []Announced) {
	if since := n.Annotations[annotationKured]; since != "" {
		list = append(list, Announced{By: "kured", ID: since, Impact: fleet.ImpactRestart, Lasts: restartLasts})
	}
	switch n.Labels[labelDriverState] {
	case "cordon-required", "wait-for-jobs-required", "pod-deletion-required", "drain-required", "pod-restart-required", "validation-required", "uncordon-required":
		list = append(list, Announced{By: "gpu-operator", ID: n.Labels["nvidia.com/gpu-driver-upgrade-requestor"] + driverOf(n), Impact: fleet.ImpactRestart, Lasts: restartLasts})
	}
	return list
}

// LabelComponent begins a node's label that says which version of a component it runs.
const LabelComponent = "muster.dev/component."

// runsOf is what a node says that it runs.
func runsOf(n *corev1.Node) (runs fleet.Runs) {
	add := func(name, version string) {
		if version = plainName(version); version != "" && name != "" {
			runs = runs.With(fleet.Component{Name: name, Version: version})
		}
	}
	info := n.Status.NodeInfo
	add("kernel", info.KernelVersion)
	add("os-image", info.OSImage)
	add("kubelet", info.KubeletVersion)
	add("container-runtime", info.ContainerRuntimeVersion)
	add("gpu-driver", driverOf(n))
	add("cuda", versionIn(n, "nvidia.com/cuda.runtime"))
	for label, version := range n.Labels {
		if name, ours := strings.CutPrefix(label, LabelComponent); ours {
			add(plainName(name), version)
		}
	}
	return runs
}

func driverOf(n *corev1.Node) string { return versionIn(n, "nvidia.com/cuda.driver") }

// versionIn reads a version as GPU feature discovery labels it: whole, or in up to three parts.
func versionIn(n *corev1.Node, label string) string {
	for _, whole := range []string{label + "-version.full", label + "-version"} {
		if v := n.Labels[whole]; v != "" {
			return v
		}
	}
	var parts []string
	for _, part := range []string{".major", ".minor", ".rev"} {
		if v := n.Labels[label+part]; v != "" {
			parts = append(parts, v)
		}
	}
	return strings.Join(parts, ".")
}
